/** The replica. */
import type { Command } from '../command.ts';

export const replica: Readonly<Record<string, Command>> = {
  'replica status': {
    summary: 'Show how much of both ledgers is at the replica; exit 1 if it needs you',
    json: true,
    example: 'oka replica status',
    load: () => import('../commands/replica-status.ts'),
  },
  'replica verify': {
    summary: 'Compare the replica with the ledgers, event by event; exit 1 if it differs',
    json: true,
    example: 'oka replica verify',
    load: () => import('../commands/replica-verify.ts'),
  },
  'replica backfill': {
    summary: 'Send everything that the replica does not have yet, here and now',
    json: true,
    example: 'oka replica backfill',
    load: () => import('../commands/replica-backfill.ts'),
  },
  'replica pull': {
    summary: 'Take in the facts of another home from the replica, as imported ones',
    options: { ledger: { type: 'string', value: 'NAME', about: 'How the other home is called at the replica.' } },
    json: true,
    example: 'oka replica pull --ledger laptop',
    load: () => import('../commands/replica-pull.ts'),
  },
  'replica off': {
    summary: 'Send nothing more to the replica, also after a restart',
    json: true,
    example: 'oka replica off',
    load: () => import('../commands/replica-off.ts'),
  },
  'replica on': {
    summary: 'Send events to the replica again, or try again after it has stopped',
    json: true,
    example: 'oka replica on',
    load: () => import('../commands/replica-on.ts'),
  },
};
