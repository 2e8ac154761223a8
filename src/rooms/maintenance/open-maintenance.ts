/** Owns: a home that is open for maintenance: its ledger, the store of what was learned, its pages. */
import { join } from 'node:path';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { FoldStore, readProgress } from '../../core/ledger/fold-store.ts';
import type { FoldSources } from '../../core/ledger/follower.ts';
import { type Ledger, openLedger } from '../../core/ledger/ledger.ts';
import type { Position } from '../../core/ledger/line.ts';
import type { Part } from '../../core/schema/learning-part.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event, NewEvent } from '../../core/schema/event.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Clock } from '../../core/schema/ports.ts';
import { openAnchors } from '../../kit/home/home-anchors.ts';
import { isSetUp } from '../../kit/home/is-set-up.ts';
import type { HouseRoom } from '../../kit/house/house.ts';
import type { Home } from '../../core/schema/home.ts';
import { openHomeVault } from '../../kit/vault/home-vault.ts';
import { type Pages, openPages } from './pages/maintenance-pages.ts';
import { learningParts, learningVersion, withOwnParts } from '../../kit/house/learning-parts.ts';
import { learningFile, prepareMaintenanceFolder } from '../../kit/home/maintenance-folder.ts';

export type Maintenance = {
  home: Home;
  config: Config;
  ledger: Ledger;
  sources: FoldSources;
  parts: readonly Part[];
  pages: Pages;
  clock: Clock;
  /** What was learned: .oka/maintenance/books.sqlite. Whoever has the pen of maintenance writes it; others only read. */
  store: FoldStore;
  /** Deletes what was learned: it is folded again from the first event on. */
  restart: () => void;
  /** Writes events behind what was read so far. They are folded by catching up. */
  append: (events: readonly NewEvent[]) => Promise<Event[]>;
  log: (line: string) => void;
  close: () => Promise<void>;
};

/** Tests replace parts and clock; `log` gets a line for each page that has to be left alone. */
export type MaintenanceOverrides = {
  parts?: readonly Part[];
  rooms?: readonly HouseRoom[] | undefined;
  clock?: Clock;
  pages?: Pages;
  log?: (line: string) => void;
};

const AT_ONCE = 500;

/** Takes the pen of maintenance. */
export async function openMaintenance(
  home: Home,
  config: Config,
  overrides: MaintenanceOverrides = {},
): Promise<Maintenance> {
  if (!isSetUp(home))
    throw new OkaError('not-set-up', `${home.dir} is not set up`, { fix: `Run: oka init --dir ${home.dir}` });
  prepareMaintenanceFolder(home);
  const parts = withOwnParts(overrides.parts ?? (await learningParts(config.maintenance, overrides.rooms)));
  const clock = overrides.clock ?? Date.now;
  const vault = await openHomeVault(home, config.credentials);
  const file = learningFile(home);
  const position = (readProgress(file)?.note('position') ?? null) as Position | null;
  const ledger = await openLedger(home.ledgers.maintenance, 'maintenance', {
    anchors: await openAnchors(home, 'maintenance', null),
    redact: vault.redact,
    clock,
    reserveBytes: config.ledger.reserve_kb * 1024,
    from: position,
  });
  try {
    const store = FoldStore.open(file, { version: learningVersion(parts, config) });
    const append = async (events: readonly NewEvent[]): Promise<Event[]> => {
      await vault.refresh();
      const { seq } = store.cursor('run');
      const caused = events.map((event): NewEvent => ({ ...event, cause: seq === 0 ? null : seq }));
      const written: Event[] = [];
      for (let from = 0; from < caused.length; from += AT_ONCE)
        written.push(...(await ledger.append(caused.slice(from, from + AT_ONCE))));
      return written;
    };
    return {
      home,
      config,
      ledger,
      sources: {
        ledgers: home.ledgers,
        artifacts: openArtifacts(join(home.oka, 'artifacts'), vault.redact),
        folds: parts,
      },
      parts,
      pages: overrides.pages ?? openPages(home, parts, overrides.log),
      clock,
      store,
      restart: () => {
        const passed = readProgress(file)?.note('passed') ?? null;
        store.reset();
        store.setNote('passed', passed);
      },
      append,
      log: overrides.log ?? (() => undefined),
      close: async () => {
        try {
          store.setNote('position', ledger.end);
          store.close();
        } catch {
          // it only makes the next start faster
        } finally {
          await ledger.close();
        }
      },
    };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}
