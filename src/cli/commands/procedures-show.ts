import { pageOf } from '../../memory/procedures/page.ts';
import { type Call, exits } from '../command.ts';
import { procedureNamed } from '../procedure-access.ts';
import { plainText } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const known = await procedureNamed(call);
  if (call.json) {
    const { procedure, status, forced, moves } = known;
    call.out(`${JSON.stringify({ status, forced, procedure, last: moves.at(-1) ?? null })}\n`);
  } else for (const { text } of pageOf(known, []).lines) call.out(`${plainText(text)}\n`);
  return exits.ok;
}
