import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookAt } from '../../ledger/disk.ts';
import { peek } from '../../ledger/peek.ts';
import { taskGraph } from '../../ledger/task-graph.ts';
import { OkaError } from '../../schema/errors.ts';
import { ID_SHAPE } from '../../schema/names.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { waitedFor } from '../story.ts';
import { bold, dim, plain } from '../terminal.ts';

/** The result if there is one; else where the run stands. */
export async function run(call: Call): Promise<number> {
  const { home, json, out } = call;
  const id = onlyOperand(call, 'run');
  if (!ID_SHAPE.test(id)) throw new OkaError('usage', `"${id}" is not the name of a run`);
  const { state } = await peek(home.ledgers.run, home.oka, taskGraph);
  const goal = [...state.goals, ...state.ended].find((each) => each.run === id);
  const file = join(home.workspace, 'outbox', id, 'RESULT.md');
  const result = lookAt(file)?.isFile() === true ? readFileSync(file, 'utf8') : null;
  if (goal === undefined && result === null)
    throw new OkaError('no-such-run', `there is no run "${id}"`, { fix: 'See which there are: oka runs' });
  if (json) out(`${JSON.stringify({ run: id, goal: goal ?? null, result: result === null ? null : file })}\n`);
  else if (result !== null) out(`${result}${dim(file)}\n`);
  else if (goal !== undefined) {
    out(`${bold(plain(goal.title))}  ${goal.status}, ${goal.state}\n`);
    for (const node of goal.nodes) out(`  ${node.status.padEnd(8)} ${plain(node.title)}\n`);
    for (const wait of goal.waits) out(`  waits for ${plain(waitedFor(wait.for))}\n`);
  }
  return exits.ok;
}
