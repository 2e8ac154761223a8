import { compareByName, type ComparedRun, type FileDifference, type RunsSideBySide } from '../compare-runs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { rowOfRun } from '../../../kit/cli/linked-runs.ts';
import { count, fitText, plainText } from '../../../kit/cli/plain-text.ts';

/** Exit 0 when both ended the same way, with the same outputs and files. */
export async function run(call: Call): Promise<Answer<RunsSideBySide>> {
  const [first, second, ...more] = call.operands;
  if (first === undefined || second === undefined || more.length > 0)
    throw new OkaError('usage', 'say which two runs', { fix: 'oka diff <run> <fork>' });
  const names = [await findRunName(call, first), await findRunName(call, second)] as const;
  const compared = await compareByName(call.home, (name) => rowOfRun(call, name), names);
  return answer(compared, compared.same ? exits.ok : exits.no);
}

export function render(data: RunsSideBySide, terminal: Terminal): string {
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

function describeSide({ status, cost }: ComparedRun): string {
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
