/** What people start with: giving work, and seeing what became of it. */
import type { Command } from '../command.ts';
import { limit, stay } from './options.ts';

export const work: Readonly<Record<string, Command>> = {
  init: {
    summary: 'Set up a folder: .oka, workspace and their rules',
    options: {
      'egress-key': {
        type: 'string',
        value: 'FILE',
        about: 'Also make the key for `oka egress --key`, if there is none.',
      },
    },
    json: true,
    example: 'oka init --dir ~/assistant',
    load: () => import('../commands/init.ts'),
  },
  up: {
    summary: 'Watch the inbox and do what comes, until Ctrl-C',
    options: {
      stay,
      alone: { type: 'boolean', about: 'Without maintenance, which somebody else runs; for containers.' },
    },
    example: 'oka up',
    load: () => import('../commands/up.ts'),
  },
  worker: {
    summary: 'The process that `oka up` keeps alive; for supervisors of your own',
    example: 'oka worker',
    load: () => import('../commands/worker.ts'),
  },
  maintain: {
    summary: 'Learn from what happened, until Ctrl-C; `oka up` starts it, too',
    options: {
      once: { type: 'boolean', about: 'One pass now, and end.' },
      'dry-run': { type: 'boolean', about: 'Only say what a pass would write.' },
      health: { type: 'boolean', about: 'Only say whether maintenance is running; exit 1 if not.' },
      stay,
    },
    json: true,
    example: 'oka maintain --once',
    load: () => import('../commands/maintain.ts'),
  },
  add: {
    summary: 'Put a task into the inbox: a text, a file, or a folder with TASK.md',
    operands: '<task>',
    json: true,
    example: 'oka add "Sort the photos on the desk by year"',
    load: () => import('../commands/add.ts'),
  },
  run: {
    summary: 'Do a task here and now; exit 0 only when it is done',
    operands: '<task>',
    json: true,
    example: 'oka run report.md',
    load: () => import('../commands/run.ts'),
  },
  runs: {
    summary: 'List the runs, the latest last',
    options: {
      all: { type: 'boolean', about: 'Also the runs inside others.' },
      limit: { type: 'string', value: 'N', about: 'Show the last N (default 20; 0 for all).' },
    },
    json: true,
    example: 'oka runs',
    load: () => import('../commands/runs.ts'),
  },
  show: {
    summary: 'Show the result of a run, or where it stands',
    operands: '<run>',
    json: true,
    example: 'oka show welcome-1a2b3c4d',
    load: () => import('../commands/show.ts'),
  },
  undo: {
    summary: 'Take back what a run changed on the desk; what people changed since stays',
    operands: '<run>',
    options: { 'dry-run': { type: 'boolean', about: 'Only say what would be done.' } },
    json: true,
    example: 'oka undo welcome-1a2b3c4d --dry-run',
    load: () => import('../commands/undo.ts'),
  },
  correct: {
    summary: 'Say what is wrong with a finished run; it is done anew with that in mind',
    operands: '<run> <text>',
    json: true,
    example: 'oka correct report-1a2b3c4d "the totals are in the wrong currency"',
    load: () => import('../commands/correct.ts'),
  },
  status: {
    summary: 'Show what runs, what waits for you, and the ledger in short',
    options: { health: { type: 'boolean', about: 'Only say whether a worker is running; exit 1 if none is.' } },
    json: true,
    example: 'oka status',
    load: () => import('../commands/status.ts'),
  },
  metrics: {
    summary: 'Show how well it goes: completion, rework, time, cost, reuse',
    options: { since: { type: 'string', value: 'WHEN', about: 'Only tasks since a day, or so many days: 7d.' } },
    json: true,
    example: 'oka metrics --since 30d',
    load: () => import('../commands/metrics.ts'),
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
    load: () => import('../commands/log.ts'),
  },
};
