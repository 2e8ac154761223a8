/** What a task costs besides its commands: from the file in the inbox to the result in the outbox. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setUp } from '../src/kit/home/set-up.ts';
import type { Home } from '../src/core/schema/home.ts';
import { work } from '../src/app/worker/worker.ts';
import { addTask } from '../src/kit/inbox/add-task.ts';
import { type Figure, median } from './figure.ts';
import { measureFlood } from './flood.ts';
import { temporaryHome } from './support/home.ts';
import { taskTimes } from './support/task-times.ts';

const TASKS = 200;
const BODY = '# One step\n\n```bash\ntrue\n```\n';

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  note(`${TASKS} tasks of one step`);
  using temporary = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  const { home } = temporary;
  setUp(home);
  writeFileSync(home.config, JSON.stringify({ inbox: { parallel: 1 } })); // what waits for others is no overhead of its own
  for (let index = 0; index < TASKS; index += 1) addTask(join(home.workspace, 'inbox'), { text: BODY });
  const ms = await workedOff(home);
  return [
    {
      name: 'task_ms',
      value: median([...(await taskTimes(home)).values()]),
      unit: 'ms',
      bar: { most: 60 },
      about: 'p50 from taken in to ended besides the command, snapshot and launcher included',
    },
    { name: 'task_wall_ms', value: ms / TASKS, unit: 'ms', about: 'a task from start to end of all, with its command' },
    { name: 'task_rss_mb', value: process.memoryUsage.rss() / 1e6, unit: 'MB', about: 'memory afterwards' },
    ...(await measureFlood(note)),
  ];
}

async function workedOff(home: Home): Promise<number> {
  const stop = new AbortController();
  const start = performance.now();
  const working = work(home, stop.signal, () => undefined);
  const outbox = join(home.workspace, 'outbox');
  const results = (): number => readdirSync(outbox).filter((run) => existsSync(join(outbox, run, 'RESULT.md'))).length;
  while (results() < TASKS) await sleep(20);
  const ms = performance.now() - start;
  stop.abort();
  await working;
  return ms;
}
