/** What queries cost: lists at a long history against a short one, in real processes, and folding an event. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setUp } from '../src/kit/home/set-up.ts';
import { loadConfig } from '../src/kit/settings.ts';
import { openStores } from '../src/kit/house/stores.ts';
import { viewFolds } from '../src/kit/house/open-views.ts';
import { viewsFile } from '../src/kit/rows/views-writer.ts';
import { FoldStore } from '../src/core/ledger/fold-store.ts';
import { catchUp, LARGE_BATCH } from '../src/core/ledger/follower.ts';
import { Sealer, START } from '../src/core/ledger/line.ts';
import { checkEvent, type Event } from '../src/core/schema/event.ts';
import type { Home } from '../src/core/schema/home.ts';
import type { ArtifactStore } from '../src/core/schema/ports.ts';
import { type Figure, median } from './figure.ts';
import { history, type Moment } from './maintain/history.ts';
import { temporaryHome } from './support/home.ts';

const FEW = 1000;
const MANY = Number(process.env['OKA_BENCH_EVENTS'] ?? 1_000_000);
const COMMANDS = ['runs', 'status', 'metrics'];
const TIMES = 9;

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  using short = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  using long = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  await fillHome(short.home, FEW);
  note(`${MANY} events`);
  const { cpuUs, wallUs } = await fillHome(long.home, MANY);
  note(`folding an event: ${cpuUs.toFixed(1)} µs of CPU time, ${wallUs.toFixed(1)} µs by the clock`);
  const growths = COMMANDS.map((command) => {
    const { few, many } = medianTimes(command, short.home, long.home);
    note(`${command}: ${few.toFixed(0)} ms at ${FEW} events, ${many.toFixed(0)} ms at ${MANY}`);
    return many / few;
  });
  return [
    {
      name: 'views_growth',
      value: Math.max(...growths),
      unit: '×',
      bar: { most: 1.5 },
      about: `the slowest of ${COMMANDS.join(', ')} at ${MANY} events against ${FEW}`,
    },
    {
      name: 'views_event_us',
      value: cpuUs,
      unit: 'µs',
      bar: { most: 15 },
      about: 'CPU time of folding an event into the store',
    },
  ];
}

/**
 * Makes a history and everything that a worker derives from it. Returns what folding an event took: CPU time, which
 * hardly depends on what else the machine does, and time by the clock.
 */
export async function fillHome(
  home: Home,
  events: number,
  moments: AsyncIterable<Moment> = history(1, noArtifacts),
): Promise<{ cpuUs: number; wallUs: number }> {
  setUp(home);
  await writeLedger(home.ledgers.run, events, moments);
  await (await openStores(home, await loadConfig(home))).close();
  const { folds, shape } = await viewFolds();
  const store = FoldStore.open(viewsFile(home), shape);
  const start = { cpu: process.cpuUsage(), wall: performance.now() };
  const count = await catchUp(store, { ledgers: home.ledgers, folds }, { batch: LARGE_BATCH });
  const { user, system } = process.cpuUsage(start.cpu);
  const wallUs = ((performance.now() - start.wall) * 1000) / count;
  store.close();
  return { cpuUs: (user + system) / count, wallUs };
}

async function writeLedger(file: string, events: number, moments: AsyncIterable<Moment>): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const fd = openSync(file, 'w');
  const sealer = new Sealer();
  let [seq, offset, prev] = [0, 0, START.hash];
  for await (const { at, events: each } of moments) {
    for (const [index, given] of each.entries()) {
      if (seq >= events) break;
      seq += 1;
      const moment = new Date(at + index * 100).toISOString();
      const event = { ...checkEvent(given), seq, at: moment, pen: 'run' } as Event;
      prev = sealer.add(event, JSON.stringify(event.data), offset, prev);
    }
    if (seq >= events) break;
    if (sealer.length < 1_000_000) continue;
    offset += writeSync(fd, sealer.bytes);
    sealer.clear();
  }
  writeSync(fd, sealer.bytes);
  closeSync(fd);
}

/** Bodies are not read by these commands. */
const noArtifacts: ArtifactStore = {
  put: async (body) => ({ sha256: hash('sha256', body), bytes: body.length, media: 'text/plain' }),
  get: () => Promise.reject(new Error('nothing is stored')),
};

/** In turns, so that a noisy moment hits both. */
function medianTimes(command: string, short: Home, long: Home): { few: number; many: number } {
  const times = Array.from({ length: TIMES }, () => ({ few: timeOf(command, short), many: timeOf(command, long) }));
  return { few: median(times.map(({ few }) => few)), many: median(times.map(({ many }) => many)) };
}

function timeOf(command: string, { dir }: Home): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [
    join(import.meta.dirname, '../bin/oka'),
    command,
    '--dir',
    dir,
  ]);
  if (status !== 0) throw new Error(`oka ${command} failed: ${String(stderr)}`);
  return performance.now() - start;
}
