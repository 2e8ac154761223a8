/** The tools of nodes that remember: what the graph has stored, and how its earlier runs went. */
import type { Home } from '../../core/schema/home.ts';
import type { ArtifactStore, EventStore, StateStore } from '../../core/schema/ports.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { priorRunsTool } from './tools/prior-runs-tool.ts';
import { stateTools } from './tools/state-tools.ts';
import type { LedgerPort, Runs } from '../../kit/ports/port-types.ts';
import { withRows } from '../../kit/rows/read-rows.ts';
import type { ViewFolds } from '../../kit/rows/views-writer.ts';
import { priorRuns } from './prior-runs.ts';
import { writtenState } from '../../core/engine/graph-state.ts';
import type { Json } from '../../core/schema/json.ts';

type StateValuePorts = { state: Pick<StateStore, 'get'>; ledger: Pick<LedgerPort, 'read'> };

type RememberingPorts = {
  home: Home;
  events: EventStore;
  ledger: Pick<LedgerPort, 'read'>;
  artifacts: ArtifactStore;
  state: StateStore;
  runs: Pick<Runs, 'stateOf'>;
  viewFolds: () => Promise<ViewFolds>;
};

export function rememberingTools(ports: RememberingPorts): Tool[] {
  const { home, events, artifacts, runs, viewFolds } = ports;
  return [
    ...stateTools({ read: (namespace, key) => readStateValue(ports, namespace, key), artifacts }),
    priorRunsTool(async (query, { run }) => {
      await events.flush();
      const before = (await runs.stateOf(run))?.ledger.first;
      const folds = await viewFolds();
      return priorRuns(home, (read) => withRows(home, folds, read), query, before);
    }),
  ];
}

/** For a simulation, where nothing is remembered. */
export function simulatedTools(artifacts: ArtifactStore): Tool[] {
  return [
    ...stateTools({ read: () => Promise.resolve(undefined), artifacts }),
    priorRunsTool(() => Promise.resolve([])),
  ];
}

/** The current value of a key: small ones are in memory, a large one is read from the event that wrote it. */
async function readStateValue(
  { state, ledger }: StateValuePorts,
  namespace: string,
  key: string,
): Promise<Json | undefined> {
  const entry = state.get(namespace, key);
  if (entry === undefined || entry.digest === undefined) return entry?.value;
  for await (const event of ledger.read({ from: entry.seq, to: entry.seq })) return writtenState(event)?.entry?.value;
  return undefined;
}
