import { join } from 'node:path';
import { withHost } from '../../daemon/host.ts';
import { ports } from '../../daemon/ports.ts';
import { submit } from '../../intake/submit-request.ts';
import { penHolder } from '../../ledger/pen.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { count, green, plainText, yellow } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const { home, json, out, signal } = call;
  const name = onlyOperand(call, 'name');
  if (penHolder(home.ledgers.run) !== null) {
    const id = submit(join(home.oka, 'intake'), { kind: 'resolve', name, by: 'a person' });
    out(
      json
        ? `${JSON.stringify({ submitted: id })}\n`
        : `A worker holds the pen; it was asked to look for ${plainText(name)}.\n`,
    );
    return exits.ok;
  }
  const { there, seen, drives } = await withHost(home, signal, async ({ engine, valuesOf }) => {
    const { deps } = valuesOf({ deps: ports.deps });
    const resolved = await deps.resolve(name, 'a person');
    await engine.rested();
    return resolved;
  });
  if (json) out(`${JSON.stringify({ name, there, seen, went_on: drives.map(({ run: { id } }) => id) })}\n`);
  else if (there) out(`${green('there')}  ${plainText(seen)}; ${count(drives.length, 'run')} went on\n`);
  else out(`${yellow('still missing')}  ${plainText(seen)}\n`);
  return there ? exits.ok : exits.no;
}
