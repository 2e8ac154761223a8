/** The table of commands. To add one: a row here, a file in commands/. */
import type { Command, Option } from './command.ts';

const limit: Option = { type: 'string', value: 'N', about: 'Show the last N (default 50; 0 for all).' };

const input: Option = { type: 'string', value: 'JSON', about: 'What the graph is given; @file reads it from a file.' };

export const commands: Readonly<Record<string, Command>> = {
  init: {
    summary: 'Set up a folder: .oka, workspace and their rules',
    json: true,
    example: 'oka init --dir ~/assistant',
    load: () => import('./commands/init.ts'),
  },
  status: {
    summary: 'Show what runs, what waits for you, and the ledger in short',
    json: true,
    example: 'oka status',
    load: () => import('./commands/status.ts'),
  },
  log: {
    summary: 'Tell what happened, event by event',
    options: {
      follow: { type: 'boolean', about: 'Go on as new events come; Ctrl-C ends it.' },
      run: { type: 'string', value: 'RUN', about: 'Only this run.' },
      type: { type: 'string', value: 'TYPE', about: 'Only this type, such as call.ended or run.*' },
      since: { type: 'string', value: 'SEQ', about: 'Only from this seq on.' },
      pen: { type: 'string', value: 'PEN', about: 'Only the run or the maintenance ledger.' },
      limit,
    },
    json: true,
    example: 'oka log --follow --type run.*',
    load: () => import('./commands/log.ts'),
  },
  'graph validate': {
    summary: 'List everything that is wrong with a graph; exit 1 if something is',
    operands: '<file>',
    json: true,
    example: 'oka graph validate report.json',
    load: () => import('./commands/graph-validate.ts'),
  },
  'graph show': {
    summary: 'Show the steps of a graph and what each needs',
    operands: '<file>',
    json: true,
    example: 'oka graph show report.json',
    load: () => import('./commands/graph-show.ts'),
  },
  'graph run': {
    summary: 'Run a graph here and now; exit 0 only when it is done',
    operands: '<file>',
    options: { input, id: { type: 'string', value: 'ID', about: 'Name of the run (default: graph and time).' } },
    json: true,
    example: 'oka graph run report.json --input \'{"day":"2026-01-31"}\'',
    load: () => import('./commands/graph-run.ts'),
  },
  simulate: {
    summary: 'Show which calls a graph would make, and what the policy says to each',
    operands: '<file>',
    options: { input },
    json: true,
    example: 'oka simulate report.json',
    load: () => import('./commands/simulate.ts'),
  },
  explain: {
    summary: 'Tell what a run did and why: states, calls, reasons, artifacts',
    operands: '<run>',
    json: true,
    example: 'oka explain report-1',
    load: () => import('./commands/explain.ts'),
  },
  replay: {
    summary: 'Go through a run again without asking a model; exit 1 if it differs',
    operands: '<run>',
    options: { mode: { type: 'string', value: 'MODE', about: 'narrative (default), decision or full.' } },
    json: true,
    example: 'oka replay report-1 --mode decision',
    load: () => import('./commands/replay.ts'),
  },
  resume: {
    summary: 'Continue a stopped, paused or blocked run; after a failure start a linked one',
    operands: '<run>',
    json: true,
    example: 'oka resume report-1',
    load: () => import('./commands/resume.ts'),
  },
  answer: {
    summary: 'Answer what a run waits for',
    operands: '<wait> <text>',
    json: true,
    example: 'oka answer report-1.send.0.w0 yes',
    load: () => import('./commands/answer.ts'),
  },
  pause: {
    summary: 'Pause a run',
    operands: '<run>',
    json: true,
    example: 'oka pause report-1',
    load: () => import('./commands/pause.ts'),
  },
  cancel: {
    summary: 'End a run for good',
    operands: '<run>',
    json: true,
    example: 'oka cancel report-1',
    load: () => import('./commands/cancel.ts'),
  },
  verify: {
    summary: 'Prove that no event was changed, lost or added; exit 1 if one was',
    json: true,
    example: 'oka verify',
    load: () => import('./commands/verify.ts'),
  },
  rebuild: {
    summary: 'Delete everything derived from the ledger and make it again',
    json: true,
    example: 'oka rebuild',
    load: () => import('./commands/rebuild.ts'),
  },
  'ledger archive': {
    summary: 'Move old finished runs into compressed segments',
    options: {
      before: { type: 'string', value: 'DATE', about: 'Runs that ended before this day, such as 2026-01-31.' },
    },
    json: true,
    example: 'oka ledger archive --before 2026-01-31',
    load: () => import('./commands/archive.ts'),
  },
  doctor: {
    summary: 'Check Node, folders, owners, locks, ledger and disk; say how to fix',
    json: true,
    example: 'oka doctor',
    load: () => import('./commands/doctor.ts'),
  },
  schema: {
    summary: 'Print the JSON Schema of a concept, for editors; without a name, list them',
    operands: '[name]',
    json: true,
    example: 'oka schema config',
    load: () => import('./commands/schema.ts'),
  },
  bench: {
    summary: 'Measure against a floor or a peer in the same run',
    operands: '[suite…]',
    options: { check: { type: 'boolean', about: 'Exit 1 when a figure misses its bar.' } },
    json: true,
    example: 'oka bench ledger --json',
    load: () => import('./commands/bench.ts'),
  },
};
