/** What the ledger costs, against the least that any durable log must do. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diskFlush } from '../src/core/ledger/disk.ts';
import type { Flush } from '../src/core/schema/ports.ts';
import { type Figure, median } from './figure.ts';
import { inChild } from './support/child.ts';
import { fill, kilobyteEvent, memoryFolder, storesIn, temporaryHome } from './support/home.ts';
import { slowFlush } from './support/slow-flush.ts';

const MANY = 1_000_000;
const FEW = 10_000;
const ROUNDS = 5;

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  note('appending with a flush of 1 ms');
  const appends = await appendFigures();
  note('cost of an event');
  const cost = await eventCost();
  note('appending on the real disk');
  const disk = await diskFigures();
  note('starting the command line');
  const cli = startFigures();
  note(`filling a ledger with ${MANY.toLocaleString('en')} events, opening and verifying it`);
  const large = await largeLedgerFigures();
  return [...appends, cost, ...large, ...cli, ...disk];
}

async function appendFigures(): Promise<Figure[]> {
  await using flush = slowFlush();
  using temporary = temporaryHome(memoryFolder);
  const stores = await storesIn(temporary.home, flush);
  const floorFile = join(temporary.home.dir, 'floor');
  const floors: number[] = [];
  const sequential: number[] = [];
  const by64: number[] = [];
  const by256: number[] = [];
  let flushes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    floors.push(floorMsPerEvent(floorFile, flush, 200));
    const before = flush.count();
    sequential.push(await timedPerEvent(200, () => appendBy(1, 200)));
    flushes = (flush.count() - before) / 200;
    by64.push(await timedPerEvent(64 * 40, () => appendBy(64, 40)));
    by256.push(await timedPerEvent(256 * 20, () => appendBy(256, 20)));
  }
  await stores.close();
  const floor = median(floors);
  return [
    {
      name: 'append_vs_floor',
      value: median(sequential) / floor,
      unit: '×',
      bar: { most: 1.1 },
      about: 'time of a durable append of 1 KB, against write + flush',
    },
    { name: 'flushes_per_append', value: flushes, unit: '', bar: { most: 1 }, about: 'appends one after the other' },
    {
      name: 'group_commit_vs_floor',
      value: floor / median(by64),
      unit: '×',
      bar: { least: 30 },
      about: "rate of 64 appenders at once, against the floor's",
    },
    {
      name: 'group_commit_256_vs_floor',
      value: floor / median(by256),
      unit: '×',
      bar: { least: 60 },
      about: 'rate of 256 appenders at once',
    },
  ];

  async function appendBy(appenders: number, each: number): Promise<void> {
    const appender = async (): Promise<void> => {
      for (let index = 0; index < each; index += 1) await stores.ledger.append(kilobyteEvent(index));
    };
    await Promise.all(Array.from({ length: appenders }, appender));
  }
}

function floorMsPerEvent(file: string, flush: Flush, events: number): number {
  const line = Buffer.alloc(1024, 'x');
  const fd = openSync(file, 'a');
  const before = performance.now();
  for (let index = 0; index < events; index += 1) {
    writeSync(fd, line);
    flush.now(fd);
  }
  const ms = performance.now() - before;
  closeSync(fd);
  return ms / events;
}

async function timedPerEvent(events: number, work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return (performance.now() - before) / events;
}

async function eventCost(): Promise<Figure> {
  using temporary = temporaryHome(memoryFolder);
  const stores = await storesIn(temporary.home, { now: () => undefined, later: async () => undefined });
  const costs: number[] = [];
  for (let round = 0; round < 3 * ROUNDS; round += 1) {
    costs.push(
      await timedPerEvent(10_000, async () => {
        for (let batch = 0; batch < 100; batch += 1) {
          for (let index = 0; index < 100; index += 1) stores.ledger.stage(kilobyteEvent(index));
          await stores.ledger.flush();
        }
      }),
    );
  }
  await stores.close();
  return {
    name: 'event_cost_us',
    value: median(costs) * 1000,
    unit: 'µs',
    bar: { most: 12 },
    about: 'validate, redact, hash, stringify, write and fold an event of 1 KB',
  };
}

async function largeLedgerFigures(): Promise<Figure[]> {
  using few = temporaryHome(tmpdir());
  using many = temporaryHome(tmpdir());
  await fill(few.home, FEW);
  await fill(many.home, MANY);
  const starts = { few: [] as number[], many: [] as number[], rss: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    starts.few.push(inChild('./cold-start.ts', few.home.dir).ms);
    const large = inChild('./cold-start.ts', many.home.dir);
    starts.many.push(large.ms);
    starts.rss.push(large.rss_mb);
  }
  const floors: number[] = [];
  const verifies: number[] = [];
  let rss = 0;
  for (let round = 0; round < 3; round += 1) {
    floors.push(inChild('./plain-read.ts', many.home.ledgers.run).ms);
    const verified = inChild('./verify.ts', many.home.ledgers.run);
    verifies.push(verified.ms);
    rss = Math.max(rss, verified.rss_mb);
  }
  return [
    {
      name: 'cold_start_ms',
      value: median(starts.many),
      unit: 'ms',
      bar: { most: 25 },
      about: `from imports done to ready to append, ${MANY} events`,
    },
    {
      name: 'cold_start_growth',
      value: median(starts.many) / median(starts.few),
      unit: '×',
      bar: { most: 1.5 },
      about: `that, against ${FEW} events`,
    },
    {
      name: 'cold_start_rss_mb',
      value: median(starts.rss),
      unit: 'MB',
      bar: { most: 90 },
      about: 'largest memory while starting',
    },
    {
      name: 'verify_vs_sha',
      value: median(verifies) / median(floors),
      unit: '×',
      bar: { most: 1.5 },
      about: 'time of a full verify, against read + JSON.parse + SHA-256',
    },
    { name: 'verify_rss_mb', value: rss, unit: 'MB', bar: { most: 120 }, about: 'largest memory while verifying' },
  ];
}

function startFigures(): Figure[] {
  using temporary = temporaryHome(memoryFolder);
  const oka = fileURLToPath(new URL('../bin/oka', import.meta.url));
  const { dir } = temporary.home;
  const run = (...args: string[]): number => {
    const before = performance.now();
    execFileSync(process.execPath, args, { stdio: 'ignore' });
    return performance.now() - before;
  };
  run(oka, 'init', '--dir', dir);
  const times = { bare: [] as number[], help: [] as number[], status: [] as number[] };
  for (let round = 0; round < 15; round += 1) {
    times.bare.push(run('-e', '0'));
    times.help.push(run(oka, '--help'));
    times.status.push(run(oka, 'status', '--dir', dir));
  }
  const bare = median(times.bare);
  const worst = Math.max(median(times.help), median(times.status));
  return [
    {
      name: 'cli_start_ratio',
      value: worst / bare,
      unit: '×',
      bar: { most: 3 },
      about: `the slower of oka --help (${median(times.help).toFixed(0)} ms) and oka status (${median(times.status).toFixed(0)} ms), against node -e 0 (${bare.toFixed(0)} ms)`,
    },
  ];
}

async function diskFigures(): Promise<Figure[]> {
  using temporary = temporaryHome(tmpdir());
  let flushes = 0;
  const counting: Flush = {
    now: (fd) => {
      flushes += 1;
      diskFlush.now(fd);
    },
    later: (fd) => {
      flushes += 1;
      return diskFlush.later(fd);
    },
  };
  const stores = await storesIn(temporary.home, counting);
  flushes = 0;
  const events = 500;
  const before = deviceBytes(temporary.home.dir);
  const ms = await timedPerEvent(events, async () => {
    for (let index = 0; index < events; index += 1) await stores.ledger.append(kilobyteEvent(index));
  });
  const written = deviceBytes(temporary.home.dir) - before;
  await stores.close();
  return [
    { name: 'disk_append_ms', value: ms, unit: 'ms', about: 'a durable append on the disk of the temporary folder' },
    {
      name: 'disk_flushes_per_event',
      value: flushes / events,
      unit: '',
      about: 'flushes, appends one after the other',
    },
    {
      name: 'disk_bytes_per_event',
      value: written / events,
      unit: 'bytes',
      about: 'what the whole device wrote meanwhile (NaN where the kernel does not say)',
    },
  ];
}

function deviceBytes(path: string): number {
  try {
    const { dev } = statSync(path);
    const sectors = readFileSync(`/sys/dev/block/${dev >> 8}:${dev & 0xff}/stat`, 'utf8')
      .trim()
      .split(/\s+/)[6];
    return Number(sectors) * 512;
  } catch {
    return Number.NaN;
  }
}
