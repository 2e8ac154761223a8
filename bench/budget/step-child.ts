/**
 * What a node, an event and a time of a schedule take, counted in a process of its own and printed as JSON. It is started
 * without the optimizing compiler and with so much room for new objects that none is collected: so what is allocated is the same each time.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { setUp } from '../../src/kit/home/set-up.ts';
import { openSchedules } from '../../src/rooms/schedules/open-schedules.ts';
import type { Stores } from '../../src/kit/house/stores.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { engineOn, sequence } from '../support/engine.ts';
import { kilobyteEvent, memoryFolder, storesIn, temporaryHome } from '../support/home.ts';
import { record } from './record-calls.ts';
import { quietConfig } from './quiet-config.ts';

/** Of as many times as are printed with them. */
export type StepCounts = {
  events: number;
  ledger_bytes: number;
  /** Calls of functions of ours. */
  function_calls: number;
  /** Texts that were read as times. */
  times_read: number;
  allocated_bytes: number;
};
type Work = () => Promise<unknown>;

const TIMES = 200;
const HOUR = 3_600_000;
const START = Date.parse('2026-11-16T00:00:00Z');
let timesRead = 0;

using temporary = temporaryHome(memoryFolder);
const { home } = temporary;
setUp(home);
writeFileSync(home.config, JSON.stringify(quietConfig));
const stores = await storesIn(home);
countReadTimes();
const counts = {
  'a node': await countsOf('a node', runsOf(stores)),
  'an event': await countsOf('an event', appendsTo(stores)),
  'a time of a schedule': await countsOf('a time of a schedule', await slotsIn(home, stores)),
};
await stores.close();
process.stdout.write(JSON.stringify({ times: TIMES, counts }));

function runsOf(on: Stores): Work {
  const engine = engineOn(on);
  const graph = sequence(TIMES);
  let runs = 0;
  return async () => (await engine.start(graph, { id: `run-${(runs += 1)}` })).done;
}

function appendsTo({ ledger }: Stores): Work {
  return async () => {
    for (let index = 0; index < TIMES; index += 1) await ledger.append(kilobyteEvent(index));
  };
}

/** One schedule that is due every hour. */
async function slotsIn({ workspace }: Home, { ledger, projections }: Stores): Promise<Work> {
  let now = START;
  const folder = join(workspace, 'schedules');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'hourly.md'), '---\nevery: 1 hour\n---\nDo it.\n');
  const runs = { stateOf: () => Promise.resolve(null) };
  const schedules = openSchedules({ home, ledger, projections, runs, now: () => now });
  await schedules.readFiles();
  return async () => {
    for (let index = 0; index < TIMES; index += 1) {
      now += HOUR;
      await schedules.tick();
    }
  };
}

/** The work has been done before: what is done only once is no part of it. What projections do later is. */
async function countsOf(name: string, steps: Work): Promise<StepCounts> {
  const work = async (): Promise<void> => {
    await steps();
    stores.projections.save();
  };
  for (let round = 0; round < 3; round += 1) await work();
  const allocated = Math.min(await allocatedBy(work), await allocatedBy(work), await allocatedBy(work));
  const functionCalls = await functionCallsOf(work);
  const [events, bytes, times] = [stores.ledger.end.seq, statSync(home.ledgers.run).size, timesRead];
  record(`mark ${name}`);
  await work();
  record('mark');
  return {
    events: stores.ledger.end.seq - events,
    ledger_bytes: statSync(home.ledgers.run).size - bytes,
    function_calls: functionCalls,
    times_read: timesRead - times,
    allocated_bytes: allocated,
  };
}

async function allocatedBy(work: Work): Promise<number> {
  globalThis.gc?.();
  const before = getHeapStatistics().used_heap_size;
  await work();
  return getHeapStatistics().used_heap_size - before;
}

async function functionCallsOf(work: Work): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .filter(({ url }) => url.includes('/src/'))
    .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0))
    .reduce((sum, count) => sum + count, 0);
}

function countReadTimes(): void {
  const { parse } = Date;
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, made) => {
      if (typeof args[0] === 'string') timesRead += 1;
      return Reflect.construct(target, args, made) as Date;
    },
  });
  Date.parse = (text) => {
    timesRead += 1;
    return parse(text);
  };
}
