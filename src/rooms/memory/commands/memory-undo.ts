import { join } from 'node:path';
import { submit } from '../../../kit/requests/submit-request.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { listChanges, type MemoryChange } from '../memory-change.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type UndoCall = Call<{ reason: string | undefined }>;
type Data = { change: number; undone: true } | { change: number; submitted: string; text: string; worker: boolean };

/** Maintenance finds the request in the worker's ledger, and acts on it. */
export async function run(call: UndoCall): Promise<Answer<Data>> {
  const { home, options } = call;
  await requireHome(home);
  const { change, text, undone } = await findChange(call);
  if (undone) return answer({ change, undone });
  const reason = (options.reason ?? '').slice(0, 500);
  const submitted = submit(join(home.oka, 'intake'), { kind: 'take_back', change, reason });
  return answer({ change, submitted, text, worker: penHolder(home.ledgers.run) !== null });
}

export const jsonLines = (data: Data): object[] => [
  'undone' in data ? data : { change: data.change, submitted: data.submitted },
];

export function render(data: Data): string {
  if ('undone' in data) return `Change ${data.change} was undone already.\n`;
  const when = data.worker ? 'at the next pass of maintenance' : 'once a worker runs, at the next pass of maintenance';
  return `Requested to undo: ${data.text}\nThis happens ${when} (oka maintain --once).\n`;
}

async function findChange(call: UndoCall): Promise<MemoryChange> {
  const given = onlyOperand(call, 'the number of a change');
  const number = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  const found = (await listChanges(call, 0)).find(({ change }) => change === number);
  const fix = 'List the changes: oka memory changes';
  if (found === undefined) throw new OkaError('usage', `there is no change "${given}"`, { fix });
  if (found.undoable) return found;
  const isProcedure = found.type === 'procedure.moved' || found.type === 'procedure.drafted';
  throw new OkaError('usage', `change ${number} cannot be undone: ${found.text}`, {
    fix: isProcedure ? 'To no longer use a procedure: oka procedures demote' : fix,
  });
}
