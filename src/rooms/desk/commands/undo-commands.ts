/** Undoing what a run changed. */
import type { previewUndo as preview } from '../undo.ts';
import { answer, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';
import { flag } from '../../../kit/cli/options.ts';

type Undone = Awaited<ReturnType<typeof preview>>;

export const commands: Commands = {
  undo: command({
    summary: 'Undo what a run changed; what people changed since stays',
    operands: '<run>',
    options: { 'dry-run': flag('Only say what would be done.') },
    example: 'oka undo welcome-1a2b3c4d --dry-run',
    run: async (call) => {
      const id = await runOperand(call);
      const dry = call.options.dryRun;
      const intake = { kind: 'undo', run: id, ...(dry && { dry_run: true as const }) } as const;
      const undone = (await carryOut(call, intake)) as Undone;
      const isComplete = undone.overlaps.length + undone.notRestorable.length === 0;
      return answer({ run: id, dry, ...undone }, isComplete ? exits.ok : exits.no);
    },
    render: (data, { yellow }) => {
      const { dry, restored, removed, overlaps, notRestorable } = data;
      const lines = [
        `${restored.length} ${verb(dry, restored.length)} restored, ${removed.length} removed`,
        ...restored.map((path) => `  restored  ${plainText(path)}`),
        ...removed.map((path) => `  removed   ${plainText(path)}`),
        ...overlaps.map(({ path, why }) => `  ${yellow('left')}      ${plainText(path)}: ${plainText(why)}`),
        ...notRestorable.map(({ path, why }) => `  ${yellow('cannot')}    ${plainText(path)}: ${plainText(why)}`),
      ];
      return `${lines.join('\n')}\n`;
    },
  }),
};

const verb = (isDry: boolean, files: number): string => (isDry ? 'would be' : files === 1 ? 'was' : 'were');
