/** Reads which tasks this home has given to its fleet, and what they ask, from its ledger. It loads little. */
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import type { AskedWait } from '../../core/schema/fleet-requests.ts';
import type { Home } from '../../core/schema/home.ts';
import { hasFleet } from './fleet-overview.ts';
import { fleetRuns } from './fleet-runs.ts';

export type GivenTasks = {
  /** Those that have not come back. */
  sent: string[];
  waits: AskedElsewhere[];
};

/** `home` is null for a task of this home. */
export type AskedElsewhere = AskedWait & { home: string | null; worker: string; title: string };

/** Homes that work alone have none, and nothing is read for them. */
export async function readGiven(home: Home): Promise<GivenTasks> {
  if (!hasFleet(home)) return { sent: [], waits: [] };
  const { sent, asked } = (await peekProjection(home.ledgers.run, home.oka, fleetRuns)).state;
  const waits = Object.values(asked).flatMap(({ waits: open, worker, title, home: of = null }) =>
    open.map((each) => ({ ...each, home: of, worker, title })),
  );
  return { sent, waits };
}
