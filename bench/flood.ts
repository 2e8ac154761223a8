/** Many trivial tasks that are dropped at once: how fast they are worked off from end to end, and in how much memory. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setUp } from '../src/kit/home/set-up.ts';
import { work } from '../src/app/worker/worker.ts';
import type { Home } from '../src/core/schema/home.ts';
import type { Figure } from './figure.ts';
import { temporaryHome } from './support/home.ts';

/** FLOOD=500 tries it with fewer. */
const TASKS = Number(process.env['FLOOD'] ?? 5000);
const POLL_MS = 250;

export async function measureFlood(note: (text: string) => void): Promise<Figure[]> {
  note(`${TASKS} tasks at once`);
  using temporary = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  const { home } = temporary;
  setUp(home);
  for (let index = 0; index < TASKS; index += 1)
    writeFileSync(join(home.workspace, 'inbox', `task-${index}.md`), `# Task ${index}\n\n\`\`\`bash\ntrue\n\`\`\`\n`);
  const { ms, early, late } = await workOff(home);
  return [
    {
      name: 'flood_rate',
      value: TASKS / (ms / 1000),
      unit: 'tasks/s',
      bar: { least: 40 },
      about: `${TASKS} trivial tasks dropped at once, from the start of the worker to the last result`,
    },
    { name: 'flood_growth', value: late / early, unit: '×', about: 'memory at the end, over memory after a fifth' },
  ];
}

type Flood = { ms: number; early: number; late: number };

async function workOff(home: Home): Promise<Flood> {
  const stop = new AbortController();
  const start = performance.now();
  const working = work(home, stop.signal, () => undefined);
  let early = Number.NaN;
  for (let results = 0; results < TASKS; results = countResults(home)) {
    if (Number.isNaN(early) && results >= TASKS / 5) early = process.memoryUsage.rss();
    await Promise.race([sleep(POLL_MS), working]);
  }
  const flood = { ms: performance.now() - start, early, late: process.memoryUsage.rss() };
  stop.abort();
  await working;
  return flood;
}

/** Folders appear before their results, so that only the last ones need a second check. */
function countResults({ workspace }: Home): number {
  const outbox = join(workspace, 'outbox');
  const runs = readdirSync(outbox);
  if (runs.length < TASKS) return runs.length;
  return runs.filter((run) => existsSync(join(outbox, run, 'RESULT.md'))).length;
}
