/** Creating the streams of a fleet, and repairing them. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { flag, text } from '../../../kit/cli/options.ts';

export const fleetRepair: Readonly<Record<string, Command>> = {
  'fleet create': command({
    summary: 'Create the streams of a new fleet, once, as its administrator; exit 1 if nobody confirms --again',
    options: {
      again: flag('Create streams that are gone; every member then has to refill the stream of runs.'),
      members: text('NAMES', 'Who has to refill it, such as laptop,desktop; by default all that have ever reported.'),
      yes: flag('Do not ask.'),
    },
    json: true,
    example: 'oka fleet create',
    load: () => import('./fleet-create.ts'),
  }),
  'fleet backfill': command({
    summary:
      'Refill the stream of the fleet from the ledger of this home; shows what is missing first; exit 1 if not all is there then',
    operands: '[run]',
    options: { yes: flag('Do not ask.') },
    json: true,
    example: 'oka fleet backfill',
    load: () => import('./fleet-backfill.ts'),
  }),
};
