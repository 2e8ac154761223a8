/** What people start with: giving work, and seeing its result. */
import { type Command, command } from '../command-module.ts';
import { choice, count, countOr, flag, parsedText, text } from '../options.ts';
import { parseSince } from '../option-values.ts';
import { limit, stay } from './shared-options.ts';

export const work: Readonly<Record<string, Command>> = {
  init: command({
    summary: 'Set up a folder: .oka, workspace and their rules',
    options: {
      restore: flag('Make what is missing in a home that was set up before; rules are the default ones.'),
      docker: flag('Only write a docker-compose.yml that needs no clone; its containers set the folder up.'),
      image: text('NAME', 'With --docker: the image to run (default oka:local).'),
      'egress-key': text('FILE', 'Also make the key for `oka egress --key`, if there is none.'),
    },
    json: true,
    example: 'oka init --dir ~/assistant',
    load: () => import('../commands/init.ts'),
  }),
  up: command({
    summary: 'Watch the inbox and do what comes, until Ctrl-C',
    options: {
      stay,
      alone: flag('Without maintenance, which somebody else runs; for containers.'),
      'no-setup': flag('Do not offer to set up a model when there is none; so does OKA_NO_SETUP=1.'),
    },
    example: 'oka up',
    load: () => import('../commands/up.ts'),
  }),
  worker: command({
    summary: 'The process that `oka up` keeps alive; for supervisors of your own',
    example: 'oka worker',
    load: () => import('../commands/worker-command.ts'),
  }),
  maintain: command({
    summary: 'Learn from what happened, until Ctrl-C; `oka up` starts it, too',
    options: {
      once: flag('One pass now, and end.'),
      'dry-run': flag('Only say what a pass would write.'),
      health: flag('Only say whether maintenance is running and responds; exit 1 if not.'),
      stay,
    },
    json: true,
    example: 'oka maintain --once',
    load: () => import('../commands/maintain-command.ts'),
  }),
  add: command({
    summary: 'Put a task into the inbox: a text, a file, or a folder with TASK.md',
    operands: '<task>',
    json: true,
    example: 'oka add "Sort the photos on the desk by year"',
    load: () => import('../commands/add.ts'),
  }),
  new: command({
    summary: 'Write a task in your editor ($EDITOR) and put it into the inbox',
    operands: '[title]',
    json: true,
    example: 'oka new "Totals by month"',
    load: () => import('../commands/new-task.ts'),
  }),
  check: command({
    summary: 'Say what oka understands of a task, and what is wrong with it, without doing it',
    operands: '<task>',
    json: true,
    example: 'oka check report.md',
    load: () => import('../commands/check-task.ts'),
  }),
  run: command({
    summary: 'Do a task here and now; exit 0 only when it is done',
    operands: '<task>',
    json: true,
    example: 'oka run report.md',
    load: () => import('../commands/run-now.ts'),
  }),
  runs: command({
    summary: 'List the runs, the latest last',
    options: {
      all: flag('Also the runs inside others.'),
      limit: countOr(20, 'N', 'Show the last N (default 20; 0 for all).'),
    },
    json: true,
    example: 'oka runs',
    load: () => import('../commands/list-runs.ts'),
  }),
  find: command({
    summary: 'Search runs, questions, facts, procedures and events for words',
    operands: '<words>',
    options: { limit: countOr(20, 'N', 'Show the latest N (default 20; 0 for up to 1000).') },
    json: true,
    example: 'oka find invoice march',
    load: () => import('../commands/find.ts'),
  }),
  show: command({
    summary: 'Show the result of a run, or where it stands',
    operands: '<run>',
    options: { follow: flag('Show what it does and what it writes until it has ended; Ctrl-C ends this.') },
    json: true,
    example: 'oka show welcome-1a2b3c4d',
    load: () => import('../commands/show.ts'),
  }),
  undo: command({
    summary: 'Undo what a run changed on the desk; what people changed since stays',
    operands: '<run>',
    options: { 'dry-run': flag('Only say what would be done.') },
    json: true,
    example: 'oka undo welcome-1a2b3c4d --dry-run',
    load: () => import('../commands/undo-command.ts'),
  }),
  again: command({
    summary: 'Do the task of a run again, with the same text and files',
    operands: '<run>',
    json: true,
    example: 'oka again report-1a2b3c4d',
    load: () => import('../commands/again.ts'),
  }),
  correct: command({
    summary: 'Say what is wrong with a finished run; it is done again accordingly',
    operands: '<run> <text>',
    json: true,
    example: 'oka correct report-1a2b3c4d "the totals are in the wrong currency"',
    load: () => import('../commands/correct.ts'),
  }),
  status: command({
    summary: 'Show what runs, what waits for you, and the ledger in short',
    options: { health: flag('Only say whether a worker is running and responds; exit 1 if not.') },
    json: true,
    example: 'oka status',
    load: () => import('../commands/status.ts'),
  }),
  metrics: command({
    summary: 'Show how well it goes: completion, rework, time, cost, reuse',
    options: { since: parsedText('WHEN', 'Only tasks since a day, or so many days: 7d.', parseSince) },
    json: true,
    example: 'oka metrics --since 30d',
    load: () => import('../commands/metrics.ts'),
  }),
  log: command({
    summary: 'Show what happened, event by event',
    options: {
      follow: flag('Go on as new events come; Ctrl-C ends it.'),
      run: text('RUN', 'Only this run.'),
      type: text('TYPE', 'Only this type, such as call.ended or run.*'),
      since: count('SEQ', 'Only from this seq on.'),
      pen: choice(['run', 'maintenance'], 'PEN', 'Only the run or the maintenance ledger.'),
      limit,
    },
    json: true,
    example: 'oka log --follow --type run.*',
    load: () => import('../commands/log.ts'),
  }),
};
