import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveHome } from './live-home.ts';
import type { Trial } from './trial.ts';

const MOST = 5000;
const LEAST = 100;
/** So many are dropped that they are worked off in about the time there is. */
const EXPECTED_PER_SECOND = 15;
const SILENCE_MS = 180_000;
const FILES = 50;
const MB = 1024 * 1024;

export const floodTrial: Trial = {
  name: 'Flood',
  about:
    'As many tasks as fit the time, at most 5,000, are dropped into the inbox at once. Each must be done, and have run exactly once; the memory of the worker must not grow by more than half while the second half is worked off.',
  share: 18,
  run: async ({ until, log }) => {
    const failures: string[] = [];
    await using live = new LiveHome();
    const seconds = (until - Date.now()) / 1000;
    const tasks = Math.round(Math.min(MOST, Math.max(LEAST, seconds * EXPECTED_PER_SECOND)));
    log(`${tasks} tasks`);
    for (let index = 0; index < tasks; index += 1)
      live.drop(`f${index}.md`, `---\nid: f${index}\n---\n\`\`\`bash\necho ${index} >> all-${index % FILES}\n\`\`\`\n`);
    const begun = Date.now();
    live.start();
    const { halfway, end } = await workOff(live, tasks);
    const took = (Date.now() - begun) / 1000;
    const lines = Array.from({ length: FILES }, (_, index) => linesOf(live.desk(`all-${index}`))).flat();
    const results = live.results().filter((name) => /^f\d+$/.test(name));
    const undone = results.filter((name) => live.page(name)?.includes('✅ Done') !== true);
    if (results.length < tasks) failures.push(`${tasks - results.length} of ${tasks} tasks have no result`);
    if (undone.length > 0) failures.push(`${undone.length} tasks were not done, the first is ${undone[0]}`);
    if (new Set(lines).size < results.length)
      failures.push(`${results.length - new Set(lines).size} tasks left nothing`);
    if (lines.length > new Set(lines).size) failures.push(`${lines.length - new Set(lines).size} tasks ran twice`);
    if (end > 1.5 * halfway) failures.push(`the worker grew from ${halfway} MB to ${end} MB in the second half`);
    const counts = {
      tasks,
      'seconds until the last result': Math.round(took),
      'MB of memory halfway': halfway,
      'MB of memory at the end': end,
    };
    return { counts, failures };
  },
};

/** Ends with the last result, or when none has come for `SILENCE_MS`: a slow machine loses no task. */
async function workOff(live: LiveHome, tasks: number): Promise<{ halfway: number; end: number }> {
  let [halfway, end, count, lastResultAt] = [0, 0, 0, Date.now()];
  while (count < tasks && Date.now() < lastResultAt + SILENCE_MS) {
    await sleep(500);
    const now = live.results().filter((name) => /^f\d+$/.test(name)).length;
    if (now > count) lastResultAt = Date.now();
    count = now;
    const rss = live.processes().workers.map(({ pid }) => memoryOf(pid))[0] ?? 0;
    if (rss > 0) end = rss;
    if (halfway === 0 && 2 * count >= tasks) halfway = rss;
  }
  return { halfway, end };
}

function memoryOf(pid: number): number {
  try {
    return Math.round((Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / MB);
  } catch {
    return 0;
  }
}

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
