/** The current state of a run: from memory while it is driven, else from its snapshot and the events since. */
import { OkaError } from '../schema/errors.ts';
import type { Event } from '../schema/event.ts';
import type { Json } from '../schema/json.ts';
import type { EngineContext } from './engine-context.ts';
import { applyEvent, runFromStart } from './fold-run.ts';
import type { RunState } from './run-state.ts';
import { fromSnapshot } from './snapshot.ts';

/** Null when there is no such run. Its events are searched from seq `from` on. */
export async function findRun(context: EngineContext, id: string, from = 1): Promise<RunState | null> {
  const { registry, stores, events, plans } = context;
  const running = registry.drives.get(id);
  if (running !== undefined) return running.run;
  const snapshot = (await stores.runs?.load(id)) ?? null;
  let run = snapshot === null ? null : await loadSnapshot(context, snapshot.state);
  for await (const event of events.read({ run: id, from: run === null ? from : run.ledger.last + 1 })) {
    if (run !== null) applyEvent(run, event);
    else if (event.type === 'run.started') run = runFromStart(await plans.planFor(event.data.graph.sha256), event);
  }
  return run;
}

async function loadSnapshot({ plans }: EngineContext, state: Json): Promise<RunState | null> {
  const graph = state !== null && typeof state === 'object' && !Array.isArray(state) ? state['graph'] : undefined;
  return typeof graph === 'string' ? fromSnapshot(state, await plans.planFor(graph)) : null;
}

export async function loadRun(context: EngineContext, id: string): Promise<RunState> {
  const run = await findRun(context, id);
  if (run === null) throw new OkaError('no-such-run', `there is no run "${id}"`);
  return run;
}

export async function loadEvents({ events }: EngineContext, id: string): Promise<Event[]> {
  const all: Event[] = [];
  for await (const event of events.read({ run: id })) all.push(event);
  if (all.length === 0) throw new OkaError('no-such-run', `there is no run "${id}"`);
  return all;
}
