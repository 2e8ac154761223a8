/** Reads which tasks this home has given to its fleet, and what they ask, from its ledger. It loads little. */
import { peekProjection } from '../../ledger/peek-projection.ts';
import type { AskedWait } from '../../schema/fleet-requests.ts';
import type { Home } from '../../schema/home.ts';
import { hasFleet } from './fleet-overview.ts';
import { fleetRuns } from './fleet-runs.ts';

export type GivenTasks = {
  /** Those that have not come back. */
  sent: string[];
  waits: AskedWait[];
};

/** Homes that work alone have none, and nothing is read for them. */
export async function readGiven(home: Home): Promise<GivenTasks> {
  if (!hasFleet(home)) return { sent: [], waits: [] };
  const { sent, asked } = (await peekProjection(home.ledgers.run, home.oka, fleetRuns)).state;
  return { sent, waits: Object.values(asked).flatMap(({ waits }) => waits) };
}
