/** What it costs to record times of schedules: many schedules due at once, and one that missed many times. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setUp } from '../src/kit/home/set-up.ts';
import { openSchedules } from '../src/rooms/schedules/open-schedules.ts';
import { homeAt, loadConfig } from '../src/kit/settings.ts';
import { openStores } from '../src/kit/house/stores.ts';
import { readEvents } from '../src/core/ledger/read-events.ts';
import type { Figure } from './figure.ts';

const COUNT = 10_000;
const START = Date.parse('2026-11-16T00:00:00Z');
const HOUR = 3_600_000;

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'oka-bench-schedule-'));
  try {
    const home = homeAt(dir);
    setUp(home);
    const folder = join(home.workspace, 'schedules');
    mkdirSync(folder);
    for (let index = 0; index < COUNT; index += 1)
      writeFileSync(join(folder, `s${index}.md`), task(`daily at ${index % 8}:${String(index % 60).padStart(2, '0')}`));
    writeFileSync(join(folder, 'missed.md'), task('every 1 minute\ncatch_up: none'));
    return await measureIn(home, note);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const task = (every: string): string => `---\ntimezone: Europe/Berlin\nevery: ${every}\n---\nDo it.\n`;

async function measureIn(home: ReturnType<typeof homeAt>, note: (text: string) => void): Promise<Figure[]> {
  let now = START;
  const stores = await openStores(home, await loadConfig(home), 'run');
  const { ledger, projections } = stores;
  const runs = { stateOf: () => Promise.resolve(null) };
  const schedules = openSchedules({ home, ledger, projections, runs, now: () => now });
  const read = await seconds(() => schedules.readFiles());
  now += 0.5 * HOUR;
  const idle = await seconds(() => schedules.tick());
  now = START + COUNT * 60_000;
  note(`${COUNT} schedules with a time each, and one with ${COUNT} times`);
  const due = await seconds(() => schedules.tick());
  const again = await schedules.tick();
  await stores.close();
  const slots = new Map<string, number>();
  for await (const { type, data } of readEvents(home.ledgers.run, { type: 'slot.came' }))
    if (type === 'slot.came') slots.set(`${data.job} ${data.slot}`, (slots.get(`${data.job} ${data.slot}`) ?? 0) + 1);
  const twice = [...slots.values()].filter((count) => count !== 1).length;
  note(`${slots.size} times recorded, ${twice} of them more than once, ${again.length} by a second check`);
  return [
    { name: 'schedule_read', value: read, unit: 's', about: `${COUNT} files are read and recorded` },
    { name: 'schedule_idle', value: idle, unit: 's', about: 'a check with few times due' },
    {
      name: 'schedule_due',
      value: due / (slots.size / COUNT),
      unit: 's',
      bar: { most: 10 },
      about: `${COUNT} times that are due at once are recorded`,
    },
    { name: 'schedule_twice', value: twice + again.length, unit: '', bar: { most: 0 }, about: 'times recorded again' },
  ];
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
