import { toolFindings } from '../../daemon/deps/tool-findings.ts';
import { type Call, exits } from '../command.ts';
import { green, plainText, red, yellow } from '../plain-text.ts';

export async function run({ home, json, out }: Call): Promise<number> {
  const findings = await toolFindings(home);
  if (json) out(`${JSON.stringify({ findings })}\n`);
  else
    for (const { state, what, found, fix } of findings) {
      const mark = state === 'good' ? green('✓') : state === 'odd' ? yellow('!') : red('✗');
      out(`${mark} ${what}  ${plainText(found)}\n${fix === undefined ? '' : `    ${plainText(fix)}\n`}`);
    }
  return findings.some(({ state }) => state === 'bad') ? exits.no : exits.ok;
}
