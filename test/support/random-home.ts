/**
 * Homes whose ledger is what the engine wrote in random stories: runs that are over, that wait, and that were cut off at
 * any event, as by a kill.
 */
import { writeFileSync } from 'node:fs';
import { loadRoomsConfig } from '../../src/kit/house/room-config.ts';
import { openStores } from '../../src/kit/house/stores.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import type { Event, NewEvent } from '../../src/core/schema/event.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { playScenario } from './engine-playback.ts';
import type { Scenario } from './engine-scenario.ts';
import { memoryFolder } from './test-folders.ts';

/** One run of a home: what happens in it, how much of that is in the ledger, and whether it is a task of a person. */
export type RandomRun = { scenario: Scenario; part: number; isTask: boolean };

/** The runs are called t0, t1, … */
export async function makeHome(runs: readonly RandomRun[]): Promise<Home> {
  const home = homeAt(memoryFolder('oka-sentences-'));
  setUp(home);
  writeFileSync(home.config, JSON.stringify({ memory: { cap: 0, vectors: false } }));
  const stores = await openStores(home, await loadRoomsConfig(home));
  try {
    for (const [index, { scenario, part, isTask }] of runs.entries()) {
      const { lives, artifacts } = await playScenario(scenario);
      const all = lives.at(-1)?.events ?? [];
      for (const bytes of artifacts.values()) await stores.artifacts.put(bytes, { name: 'x' });
      const kept = all.slice(0, Math.max(1, Math.ceil(all.length * part)));
      await stores.ledger.append(kept.map((event) => renamed(event, index, isTask)));
    }
  } finally {
    await stores.close();
  }
  return home;
}

function renamed({ type, run, data }: Event, index: number, isTask: boolean): NewEvent {
  const rename = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? value.replace(/^([rs])(?=$|\.)/, `$1${index}`) : value;
  const text = JSON.stringify({ type, run, data }, rename);
  const event = JSON.parse(text) as NewEvent;
  if (event.type === 'run.started' && event.data.parent === null) {
    event.data.title = `Task ${event.run}`;
    if (isTask && run === 'r') {
      event.data.graph.id = 'oka.task';
      event.data.input = { body: 'Do it.\n', fields: {} };
    }
  }
  return event;
}
