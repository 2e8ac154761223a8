/** What a pass would do. Reads the store of what was learned and folds the rest in memory: writes nothing, needs no pen. */
import { join } from 'node:path';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { FoldStore } from '../../core/ledger/fold-store.ts';
import { catchUp, withRepair } from '../../core/ledger/follower.ts';
import type { Part } from '../../core/schema/learning-part.ts';
import { outdatedPages } from '../../kit/learning/learning.ts';
import type { Event, NewEvent } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import { loadConfig } from '../../kit/settings.ts';
import { learningFile } from '../../kit/home/maintenance-folder.ts';
import type { MaintenanceOverrides } from './open-maintenance.ts';
import { learningParts, learningVersion, withOwnParts } from '../../kit/house/learning-parts.ts';
import { readOnly } from './pass.ts';

type PassPreview = { events: number; concluded: Event[]; pages: string[] };

const MOST_PAGES = 256;

/** Shows the first round of conclusions only, not what would follow from them. */
export async function previewPass(
  home: Home,
  signal: AbortSignal,
  overrides: Pick<MaintenanceOverrides, 'parts' | 'rooms'> = {},
): Promise<PassPreview> {
  const config = await loadConfig(home);
  const parts = withOwnParts(overrides.parts ?? (await learningParts(config.maintenance, overrides.rooms)));
  const store = FoldStore.openReadOnly(learningFile(home), { version: learningVersion(parts, config) });
  try {
    return await withRepair(store, () => foldPreview(store, home, parts, signal));
  } finally {
    store.close();
  }
}

async function foldPreview(
  store: FoldStore,
  home: Home,
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<PassPreview> {
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), (text) => text);
  const sources = { ledgers: home.ledgers, artifacts, folds: parts };
  const events = await catchUp(store, sources, { durable: true, signal });
  const now = new Date().toISOString();
  const { seq: read } = store.cursor('run');
  const concluded = parts.flatMap((part) => part.conclude?.(readOnly(store), { now, read }) ?? []);
  return {
    events,
    concluded: concluded.map((event) => asWritten(event, now)),
    pages: outdatedPages(store, MOST_PAGES),
  };
}

/** An event that has no place in a ledger yet. */
function asWritten({ type, data, run = null, cause = null }: NewEvent, at: string): Event {
  return { seq: 0, type, run, at, pen: 'maintenance', cause, v: 1, data } as Event;
}
