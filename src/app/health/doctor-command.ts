import { findingsOf } from '../../kit/house/doctor.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { type Answer, answer, type Call, exits } from '../../kit/cli/command-module.ts';
import { renderFindings } from '../../kit/cli/findings-text.ts';
import type { Terminal } from '../../kit/cli/io.ts';

type Data = { healthy: boolean; findings: Finding[] };

export async function run({ home, rooms, options }: Call<{ deep: boolean }>): Promise<Answer<Data>> {
  const findings = await findingsOf(home, rooms, { isDeep: options.deep });
  const healthy = findings.every((finding) => finding.state !== 'bad');
  return answer({ healthy, findings }, healthy ? exits.ok : exits.no);
}

export function render({ healthy, findings }: Data, terminal: Terminal): string {
  const summary = healthy ? 'All is well enough to work.' : 'Something needs your attention.';
  return `${renderFindings(findings, terminal)}${terminal.bold(summary)}\n`;
}
