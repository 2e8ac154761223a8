/** Graphs of people, and what a run did and why. */
import { type Command, command } from '../command-module.ts';
import { choice, text } from '../options.ts';

const input = text('JSON', 'What the graph is given: JSON, a file with JSON, or - for stdin.');

export const graphs: Readonly<Record<string, Command>> = {
  'graph validate': command({
    summary: 'List everything that is wrong with a graph; exit 1 if something is',
    operands: '<graph>',
    json: true,
    example: 'oka graph validate report.json',
    load: () => import('../commands/graph-validate.ts'),
  }),
  'graph show': command({
    summary: 'Show the steps of a graph and what each needs',
    operands: '<graph>',
    json: true,
    example: 'oka graph show report',
    load: () => import('../commands/graph-show.ts'),
  }),
  'graph run': command({
    summary: 'Run a graph here and now; exit 0 only when it is done',
    operands: '<graph>',
    options: { input, id: text('ID', 'Name of the run (default: graph and time).') },
    json: true,
    example: 'oka graph run report.json --input \'{"day":"2026-01-31"}\'',
    load: () => import('../commands/graph-run.ts'),
  }),
  simulate: command({
    summary: 'Show which calls a graph would make, and what the policy says to each',
    operands: '<graph>',
    options: { input },
    json: true,
    example: 'oka simulate report.json',
    load: () => import('../commands/simulate.ts'),
  }),
  explain: command({
    summary: 'Explain what a run did and why: states, calls, reasons, artifacts',
    operands: '<run>',
    json: true,
    example: 'oka explain report-1',
    load: () => import('../commands/explain.ts'),
  }),
  replay: command({
    summary: 'Go through a run again without asking a model; exit 1 if it differs',
    operands: '<run>',
    options: { mode: choice(['narrative', 'decision', 'full'], 'MODE', 'narrative (default), decision or full.') },
    json: true,
    example: 'oka replay report-1 --mode decision',
    load: () => import('../commands/replay.ts'),
  }),
};
