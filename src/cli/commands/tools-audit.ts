import { join } from 'node:path';
import { peek } from '../../ledger/peek.ts';
import { audit } from '../../tools/deps/audit.ts';
import { dependencies } from '../../tools/deps/kept.ts';
import { type Call, exits } from '../command.ts';
import { bold, count, green, plainText, red } from '../plain-text.ts';

export async function run({ home, json, out }: Call): Promise<number> {
  const { state } = await peek(home.ledgers.run, home.oka, dependencies);
  const found = await audit(join(home.oka, 'tools'), state.installed);
  const wrong = found.filter(({ state: how }) => how !== 'same');
  if (json) out(`${JSON.stringify({ audited: found })}\n`);
  else {
    for (const { name, state: how, found: seen } of wrong)
      out(`${red(how)}  ${bold(plainText(name))}  ${plainText(seen)}\n`);
    const same = found.length - wrong.length;
    out(
      `${wrong.length === 0 ? green('as installed') : `${wrong.length} not as installed`}: ${count(same, 'tool')} unchanged\n`,
    );
  }
  return wrong.length === 0 ? exits.ok : exits.no;
}
