import { findingsOf } from '../../daemon/doctor.ts';
import type { Finding } from '../../schema/finding.ts';
import { type Call, exits } from '../command.ts';
import { bold, green, red, yellow } from '../plain-text.ts';

export async function run({ home, json, out }: Call): Promise<number> {
  const findings = await findingsOf(home);
  const healthy = findings.every((finding) => finding.state !== 'bad');
  if (json) out(`${JSON.stringify({ healthy, findings })}\n`);
  else
    out(
      `${findings.map(lineOf).join('')}${healthy ? bold('All is well enough to work.') : bold('Something needs your hand.')}\n`,
    );
  return healthy ? exits.ok : exits.no;
}

function lineOf({ state, what, found, fix }: Finding): string {
  const mark = state === 'good' ? green('✓') : state === 'odd' ? yellow('!') : red('✗');
  return `${mark} ${what.padEnd(10)}${found}\n${fix === undefined ? '' : `${' '.repeat(12)}→ ${fix}\n`}`;
}
