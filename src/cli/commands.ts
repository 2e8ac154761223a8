/** The table of commands. To add one: a row here, a file in commands/. */
import type { Command, Option } from './command.ts';

const limit: Option = { type: 'string', value: 'N', about: 'Show the last N (default 50; 0 for all).' };

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
