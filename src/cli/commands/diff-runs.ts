import { compareRuns, type FileDifference, type RunComparison } from '../../daemon/home/compare-runs.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Json } from '../../schema/json.ts';
import type { RunStatus } from '../../schema/run.ts';
import type { Cost } from '../../schema/view-answers.ts';
import { type Answer, answer, type Call, exits } from '../command-module.ts';
import { findRunName } from '../find-run.ts';
import { runWithSteps } from '../fork-runs.ts';
import type { Terminal } from '../io.ts';
import { rowOfRun } from '../linked-runs.ts';
import { count, fitText, plainText } from '../plain-text.ts';

type Side = { run: string; status: RunStatus; cost: Cost };
type Data = { runs: [Side, Side] } & RunComparison;

/** Exit 0 when both ended the same way, with the same outputs and files. */
export async function run(call: Call): Promise<Answer<Data>> {
  const [first, second, ...more] = call.operands;
  if (first === undefined || second === undefined || more.length > 0)
    throw new OkaError('usage', 'say which two runs', { fix: 'oka diff <run> <fork>' });
  const runs: Data['runs'] = [await sideOf(call, first), await sideOf(call, second)];
  const compared = await compareRuns(call.home, runs[0].run, runs[1].run);
  const isSame =
    runs[0].status === runs[1].status && compared.outputs.length === 0 && (compared.files ?? []).length === 0;
  return answer({ runs, ...compared }, isSame ? exits.ok : exits.no);
}

/** Of a task the run with its steps is compared. */
async function sideOf(call: Call, given: string): Promise<Side> {
  const named = await rowOfRun(call, await findRunName(call, given));
  const { run, status, spent } = await rowOfRun(call, runWithSteps(named));
  return { run, status, cost: spent };
}

export function render(data: Data, terminal: Terminal): string {
  const { runs, paths, outputs, files } = data;
  const names = runs.map(({ run }) => run);
  const lines = (texts: readonly string[]): string[] => texts.map((text, side) => `${names[side] ?? ''}: ${text}`);
  return [
    section('Runs', lines(runs.map(describeSide)), terminal),
    section('Path', lines(paths.map((path) => path.join(' → ') || 'nothing ran')), terminal),
    section(
      'Outputs',
      outputs.flatMap(({ node, output }) => lines(output.map(shownOutput)).map((line) => `${node} in ${line}`)),
      terminal,
    ),
    section(
      'Files',
      files === null
        ? ['the snapshots are no longer stored']
        : files.map((file) => describeFile(file, names as [string, string])),
      terminal,
    ),
  ].join('\n');
}

function describeSide({ status, cost }: Side): string {
  const money = cost.usd === 0 ? '' : `, $${cost.usd.toFixed(4)}`;
  return `${status}, ${count(cost.calls, 'call')}, ${count(cost.tokens, 'token')}${money}`;
}

const shownOutput = (output: Json): string => (output === null ? 'nothing' : JSON.stringify(output));

function describeFile({ path, content: [before, after] }: FileDifference, [first, second]: [string, string]): string {
  if (before !== null && after !== null) return `${path}: differs`;
  return `${path}: only after ${before === null ? second : first}`;
}

function section(name: string, lines: readonly string[], { bold, width }: Terminal): string {
  const shown = lines.length === 0 ? ['the same'] : lines;
  return `${bold(name)}\n${shown.map((line) => `  ${fitText(plainText(line), width - 2)}\n`).join('')}`;
}
