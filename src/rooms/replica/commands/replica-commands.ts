/** The replica. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { text } from '../../../kit/cli/options.ts';

export const replica: Readonly<Record<string, Command>> = {
  'replica status': command({
    summary: 'Show how much of both ledgers is at the replica; exit 1 if it needs you',
    json: true,
    example: 'oka replica status',
    load: () => import('./replica-status.ts'),
  }),
  'replica verify': command({
    summary: 'Compare the replica with the ledgers, event by event; exit 1 if it differs',
    json: true,
    example: 'oka replica verify',
    load: () => import('./replica-verify.ts'),
  }),
  'replica backfill': command({
    summary: 'Send everything that the replica does not have yet, here and now',
    json: true,
    example: 'oka replica backfill',
    load: () => import('./replica-backfill.ts'),
  }),
  'replica pull': command({
    summary: 'Import the facts of another home from the replica',
    options: { ledger: text('NAME', 'The name of the other home at the replica.') },
    json: true,
    example: 'oka replica pull --ledger laptop',
    load: () => import('./replica-pull.ts'),
  }),
  'replica off': command({
    summary: 'Send nothing more to the replica, also after a restart',
    json: true,
    example: 'oka replica off',
    load: () => import('./replica-off.ts'),
  }),
  'replica on': command({
    summary: 'Send events to the replica again, or try again after it has stopped',
    json: true,
    example: 'oka replica on',
    load: () => import('./replica-on.ts'),
  }),
};
