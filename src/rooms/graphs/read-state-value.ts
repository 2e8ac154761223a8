/** The current value of a key: small ones are in memory, a large one is read from the event that wrote it. */
import { writtenState } from '../../core/engine/graph-state.ts';
import type { Json } from '../../core/schema/json.ts';
import type { StateStore } from '../../core/schema/ports.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';

type StateValuePorts = { state: Pick<StateStore, 'get'>; ledger: Pick<LedgerPort, 'read'> };

export async function readStateValue(
  { state, ledger }: StateValuePorts,
  namespace: string,
  key: string,
): Promise<Json | undefined> {
  const entry = state.get(namespace, key);
  if (entry === undefined || entry.digest === undefined) return entry?.value;
  for await (const event of ledger.read({ from: entry.seq, to: entry.seq })) return writtenState(event)?.entry?.value;
  return undefined;
}
