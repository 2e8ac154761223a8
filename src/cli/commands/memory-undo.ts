import { join } from 'node:path';
import { isSetUp } from '../../daemon/home/set-up.ts';
import { submit } from '../../intake/submit.ts';
import { penHolder } from '../../ledger/pen.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Change, changes } from '../changes.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';

/** Maintenance finds the request in the ledger of the worker, and acts on it. */
export async function run(call: Call): Promise<number> {
  const { home, json, out } = call;
  if (!isSetUp(home))
    throw new OkaError('not-set-up', `${home.dir} is not set up`, { fix: `Run: oka init --dir ${home.dir}` });
  const { change, text, undone } = await changeNamed(call);
  if (undone) {
    out(json ? `${JSON.stringify({ change, undone })}\n` : `Change ${change} was taken back already.\n`);
    return exits.ok;
  }
  const reason = (call.text('reason') ?? '').slice(0, 500);
  const submitted = submit(join(home.oka, 'intake'), { kind: 'take_back', change, reason });
  const when =
    penHolder(home.ledgers.run) === null ? 'a worker runs and maintenance next looks' : 'maintenance next looks';
  if (json) out(`${JSON.stringify({ change, submitted })}\n`);
  else out(`Asked for: ${text}\nThis is taken back when ${when} (oka maintain --once).\n`);
  return exits.ok;
}

async function changeNamed(call: Call): Promise<Change> {
  const given = onlyOperand(call, 'the number of a change');
  const number = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  const found = (await changes(call, 0)).find(({ change }) => change === number);
  const fix = 'See which there are: oka memory changes';
  if (found === undefined) throw new OkaError('usage', `there is no change "${given}"`, { fix });
  if (found.undoable) return found;
  const isProcedure = found.type === 'procedure.moved' || found.type === 'procedure.drafted';
  throw new OkaError('usage', `change ${number} cannot be taken back: ${found.text}`, {
    fix: isProcedure ? 'To no longer use a procedure: oka procedures demote' : fix,
  });
}
