import { readEvents } from '../../ledger/read.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { assertSetUp } from '../secrets.ts';
import { dim, fitted, plain, WIDTH } from '../terminal.ts';

const DEFAULT_LIMIT = 50;

export async function run(call: Call): Promise<number> {
  assertSetUp(call);
  const [name, ...more] = call.operands;
  if (more.length > 0) throw new OkaError('usage', 'one name is enough');
  const limit = call.count('limit') ?? DEFAULT_LIMIT;
  const uses = [];
  for await (const event of readEvents(call.home.ledgers.run, { type: 'secret.used' })) {
    if (event.type !== 'secret.used' || (name !== undefined && event.data.name !== name)) continue;
    uses.push({ at: event.at, run: event.run, ...event.data });
    if (limit > 0 && uses.length > limit) uses.shift();
  }
  if (call.json) call.out(`${JSON.stringify({ uses })}\n`);
  else if (uses.length === 0) call.out(`${name ?? 'No secret'} was ${name === undefined ? '' : 'not '}used yet.\n`);
  else
    for (const { at, name: which, version, tool, host, call: id, fingerprint } of uses) {
      const to = `${tool}${host === null ? '' : ` for ${host}`}`;
      call.out(
        `${dim(at.slice(0, 19))}  ${which} v${version}  ${fitted(plain(`${to}, call ${id}`), WIDTH - 50)}  ${dim(fingerprint.slice(0, 8))}\n`,
      );
    }
  return exits.ok;
}
