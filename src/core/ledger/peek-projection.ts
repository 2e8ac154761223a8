/** Reads a projection of a ledger without the pen: from its snapshot and the tail, without writing anything. */
import type { Projection } from '../schema/ports.ts';
import { upgradeLine } from '../schema/upgrade.ts';
import type { Fault } from './hash-chain.ts';
import { closeHistory, openHistory, walkChain } from './history.ts';
import { parseLine, type Position, START } from './line.ts';
import { Projections } from './projections.ts';
import { positionEndingAt } from './seek.ts';

type Peek<State> = { state: State; end: Position; fault: Fault | null };

/** The state as of the last valid record, and the fault if the ledger is damaged or incomplete after it. */
export async function peekProjection<State>(
  ledgerFile: string,
  folder: string,
  projection: Projection<State>,
): Promise<Peek<State>> {
  const projections = new Projections(folder, [projection], { events: 1, ms: 1 });
  const history = openHistory(ledgerFile);
  if (history === null) return { state: projection.initial(), end: START, fault: null };
  try {
    const { seq, offset, hash } = projections.position;
    const found = positionEndingAt(history.live, offset);
    if (found?.seq !== seq || found.hash !== hash) projections.restart();
    const { end, fault } = await walkChain(history, projections.position, (raw) =>
      projections.apply(upgradeLine(parseLine(raw.bytes))),
    );
    return { state: projections.stateOf(projection), end, fault };
  } finally {
    closeHistory(history);
  }
}
