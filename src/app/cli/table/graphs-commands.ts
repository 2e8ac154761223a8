/** Graphs of people, and what a run did and why. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { choice, flag, parsedText, text } from '../../../kit/cli/options.ts';
import { parseSince } from '../../../kit/cli/option-values.ts';

const input = text('JSON', 'What the graph is given: JSON, a file with JSON, or - for stdin.');

const nodeInput = text('JSON', 'Another input for that node: JSON, a file, or - for stdin.');
const forkId = text('ID', 'Name of the new run (default: that of the run, with -fork).');

export const graphs: Readonly<Record<string, Command>> = {
  'graph validate': command({
    summary: 'List everything that is wrong with a graph; exit 1 if something is',
    operands: '<graph>',
    json: true,
    example: 'oka graph validate report.json',
    load: () => import('../../../rooms/graphs/commands/graph-validate.ts'),
  }),
  'graph show': command({
    summary: 'Show the steps of a graph and what each needs',
    operands: '<graph>',
    json: true,
    example: 'oka graph show report',
    load: () => import('../../../rooms/graphs/commands/graph-show.ts'),
  }),
  'graph run': command({
    summary: 'Run a graph here and now; exit 0 only when it is done',
    operands: '<graph>',
    options: {
      input,
      id: text('ID', 'Name of the run (default: graph and time).'),
      until: text('NODE', 'Run only this node and what leads to it.'),
      mode: choice(
        ['strict', 'bounded', 'flex'],
        'MODE',
        'Another mode for this run; a tighter one than that of the graph.',
      ),
      force: flag('Also allow a looser mode; the run records that.'),
    },
    json: true,
    example: 'oka graph run report.json --input \'{"day":"2026-01-31"}\'',
    load: () => import('../../../rooms/graphs/commands/graph-run.ts'),
  }),
  'graph pin': command({
    summary: 'Fix the output of a node while you write a graph, so that it is not run; or remove that again',
    operands: '<graph> <node> [<json>]',
    options: { remove: flag('Remove the pin.') },
    json: true,
    example: 'oka graph pin report fetch \'{"rows":[1,2]}\'',
    load: () => import('../../../rooms/graphs/commands/graph-pin.ts'),
  }),
  'graph replay': command({
    summary: 'Run a graph once more with the input of an earlier run, or all runs that match',
    operands: '[<run>]',
    options: {
      from: text('NODE', 'Start at this node; what was done before it is reused.'),
      at: text('VERSION', 'version: the graph as the run had it (default); latest: as it is now; or a saved version.'),
      graph: text('FILE', 'The graph as it is now, if it is not in workspace/graphs.'),
      status: choice(['done', 'failed', 'cancelled'], 'STATUS', 'Without a run: all that ended so, such as failed.'),
      since: parsedText('WHEN', 'Without a run: all since a day, or so many days: 7d.', parseSince),
      yes: flag('Do not ask before several runs are replayed.'),
    },
    json: true,
    example: 'oka graph replay report-1 --from send',
    load: () => import('../../../rooms/graphs/commands/graph-replay.ts'),
  }),
  'graph resume': command({
    summary: 'Continue a failed run where it failed, with the graph as it is now; what was done is not repeated',
    operands: '<run>',
    options: { graph: text('FILE', 'The graph, if it is not in workspace/graphs.') },
    json: true,
    example: 'oka graph resume report-1',
    load: () => import('../../../rooms/graphs/commands/graph-resume.ts'),
  }),
  'graph fork': command({
    summary: 'Start at a node of an earlier run with another input, in a copy of the desk as it was then',
    operands: '<run> <node>',
    options: { input: nodeInput, id: forkId },
    json: true,
    example: 'oka graph fork report-1 send --input \'{"to":"ada"}\'',
    load: () => import('../../../rooms/graphs/commands/graph-fork.ts'),
  }),
  fork: command({
    summary: 'Start at a step of an earlier task again, in a copy of the desk as it was then',
    operands: '<run>',
    options: { from: text('STEP', 'The step to start at; oka explain names them.'), input: nodeInput, id: forkId },
    json: true,
    example: 'oka fork count-apples --from step_2',
    load: () => import('../../../rooms/runs/commands/fork.ts'),
  }),
  diff: command({
    summary: 'Compare two runs: path, outputs, files and cost; exit 1 if they differ',
    operands: '<run> <other>',
    json: true,
    example: 'oka diff report-1 report-1-fork',
    load: () => import('../../../rooms/runs/commands/diff-runs.ts'),
  }),
  simulate: command({
    summary: 'Show which way a graph would go, its calls, and what the policy says to each; exit 1 if it refuses one',
    operands: '<graph>',
    options: { input },
    json: true,
    example: `oka simulate price-alarm --input '{"price":20}'`,
    load: () => import('../../../rooms/graphs/commands/simulate.ts'),
  }),
  explain: command({
    summary: 'Explain what a run did and why: states, calls, reasons, artifacts',
    operands: '<run>',
    json: true,
    example: 'oka explain report-1',
    load: () => import('../../../rooms/runs/commands/explain.ts'),
  }),
  replay: command({
    summary: 'Go through a run again without asking a model; exit 1 if it differs',
    operands: '<run>',
    options: { mode: choice(['narrative', 'decision', 'full'], 'MODE', 'narrative (default), decision or full.') },
    json: true,
    example: 'oka replay report-1 --mode decision',
    load: () => import('../../../rooms/runs/commands/replay.ts'),
  }),
};
