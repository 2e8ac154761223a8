/** What a task costs besides its commands: from the file in the inbox to the result in the outbox. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setUp } from '../src/daemon/set-up.ts';
import type { Home } from '../src/daemon/settings.ts';
import { work } from '../src/daemon/worker.ts';
import { addTask } from '../src/intake/add.ts';
import { readEvents } from '../src/ledger/read.ts';
import { type Figure, median } from './figure.ts';
import { temporaryHome } from './support/home.ts';

const TASKS = 200;
const BODY = '# One step\n\n```bash\ntrue\n```\n';

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  note(`${TASKS} tasks of one step`);
  using temporary = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  const { home } = temporary;
  setUp(home);
  for (let index = 0; index < TASKS; index += 1) addTask(join(home.workspace, 'inbox'), { text: BODY });
  const ms = await workedOff(home);
  const commands = await commandTimes(home);
  return [
    {
      name: 'task_ms',
      value: (ms - commands.reduce((sum, each) => sum + each, 0)) / TASKS,
      unit: 'ms',
      bar: { most: 60 },
      about: 'a task besides its command, snapshot and launcher included',
    },
    { name: 'task_command_ms', value: median(commands), unit: 'ms', about: 'p50 of the command itself' },
    { name: 'task_rss_mb', value: process.memoryUsage.rss() / 1e6, unit: 'MB', about: 'memory afterwards' },
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

/** What the commands themselves took. */
async function commandTimes(home: Home): Promise<number[]> {
  const times: number[] = [];
  for await (const event of readEvents(home.ledgers.run, { type: 'call.ended' }))
    if (event.type === 'call.ended' && event.data.node === 'one-step') times.push(event.data.usage?.ms ?? 0);
  return times;
}
