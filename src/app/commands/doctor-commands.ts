/** Whether everything is as it should be. */
import { findingsOf } from '../../kit/house/doctor.ts';
import { answer, command, type Commands, exits } from '../../kit/cli/command-module.ts';
import { renderFindings } from '../../kit/cli/findings-text.ts';
import { flag } from '../../kit/cli/options.ts';

export const commands: Commands = {
  doctor: command({
    summary: 'Check Node, folders, sandbox, vault, memory, ledgers and disk; say how to fix',
    options: { deep: flag('Verify every event of both ledgers, however large.') },
    example: 'oka doctor',
    run: async ({ home, rooms, options }) => {
      const findings = await findingsOf(home, rooms, { isDeep: options.deep });
      const healthy = findings.every((finding) => finding.state !== 'bad');
      return answer({ healthy, findings }, healthy ? exits.ok : exits.no);
    },
    render: ({ healthy, findings }, terminal) => {
      const summary = healthy ? 'Everything needed is working.' : 'Something needs your attention.';
      return `${renderFindings(findings, terminal)}${terminal.bold(summary)}\n`;
    },
  }),
};
