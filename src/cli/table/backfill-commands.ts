/** Repairing a fleet. */
import { type Command, command } from '../command-module.ts';
import { flag } from '../options.ts';

export const fleetRepair: Readonly<Record<string, Command>> = {
  'fleet backfill': command({
    summary:
      'Refill the stream of the fleet from the ledger of this home; shows what is missing first; exit 1 if not all is there then',
    operands: '[run]',
    options: { yes: flag('Do not ask.') },
    json: true,
    example: 'oka fleet backfill',
    load: () => import('../commands/fleet-backfill.ts'),
  }),
};
