import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent } from '../../ledger/disk.ts';
import { OkaError } from '../../schema/errors.ts';
import { ID_SHAPE } from '../../schema/names.ts';
import { type RunRow, storedRun } from '../../views/run-rows.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { describeWait } from '../event-sentence.ts';
import type { Terminal } from '../io.ts';
import { readViews } from '../read-views.ts';
import { onlyOperand } from '../operands.ts';
import { plainText } from '../plain-text.ts';

type Data = { run: string; goal: RunRow | null; result: { file: string; text: string } | null };

/** The result if there is one; else the state of the run. */
export async function run(call: Call): Promise<Answer<Data>> {
  const { home } = call;
  const id = onlyOperand(call, 'run');
  if (!ID_SHAPE.test(id)) throw new OkaError('usage', `"${id}" is not the name of a run`);
  const goal = (await readViews(call, (rows) => storedRun(rows, id))) ?? null;
  const file = join(home.workspace, 'outbox', id, 'RESULT.md');
  const result = lstatIfPresent(file)?.isFile() === true ? { file, text: readFileSync(file, 'utf8') } : null;
  if (goal === null && result === null)
    throw new OkaError('no-such-run', `there is no run "${id}"`, { fix: 'List the runs: oka runs' });
  return answer({ run: id, goal, result });
}

export const jsonLines = ({ run: id, goal, result }: Data): object[] => [
  { run: id, goal, result: result === null ? null : result.file },
];

export function render({ goal, result }: Data, { bold, dim }: Terminal): string {
  if (result !== null) return `${result.text}${dim(result.file)}\n`;
  if (goal === null) return '';
  const lines = [
    `${bold(plainText(goal.title))}  ${goal.status}, ${goal.state}`,
    ...goal.nodes.map((node) => `  ${node.status.padEnd(8)} ${plainText(node.title)}`),
    ...goal.waits.map((wait) => `  waits for ${plainText(describeWait(wait.for))}`),
  ];
  return `${lines.join('\n')}\n`;
}
