import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveHome } from './live-home.ts';
import { killAll } from './processes.ts';
import { freshFolder, type Random, type Trial } from './trial.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, '../support/set-clock.ts')).href;
const PATIENCE_MS = 60_000;
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const JUMPS = [SECOND, 10 * SECOND, 45 * SECOND, MINUTE, HOUR, 2 * HOUR, DAY] as const;

export const clockTrial: Trial = {
  name: 'Clock and sleep',
  about:
    'While a task with a budget of 60 seconds runs, the clock of the real worker is set by ±1 second to ±1 day, or the worker and its supervisor are suspended for a moment. The task must end, be done, and not have spent its budget.',
  share: 8,
  run: async ({ until, random }) => {
    const counts = { tasks: 0, 'times the clock was set': 0, suspensions: 0 };
    const failures: string[] = [];
    const clock = join(freshFolder(), 'clock');
    writeFileSync(clock, '0');
    await using live = new LiveHome({ env: { OKA_TEST_CLOCK: clock, NODE_OPTIONS: `--import ${PRELOAD}` } });
    live.start();
    for (let offset = 0; Date.now() < until; ) {
      const id = `clock${(counts.tasks += 1)}`;
      live.drop(`${id}.md`, taskText(id));
      const task = ended(live, id);
      for (let faults = random.between(1, 3); faults > 0; faults -= 1) {
        await sleep(random.between(0, 700));
        if (random.chance(0.25)) {
          counts.suspensions += 1;
          await suspend(live, random);
          continue;
        }
        offset += random.pick(JUMPS) * (random.chance(0.5) ? 1 : -1);
        writeFileSync(clock, String(offset));
        counts['times the clock was set'] += 1;
      }
      const page = await task;
      if (page === null) failures.push(`${id} did not end, with the clock wrong by ${offset} ms`);
      else if (!page.includes('✅ Done'))
        failures.push(`${id}: ${page.split('\n').slice(0, 20).join(' ').slice(0, 2000)}`);
      else if (/-\d+(?:\.\d+)? ?(?:ms|s)\b/.test(page)) failures.push(`${id}: its result has a negative duration`);
    }
    return { counts, failures };
  },
};

const taskText = (id: string): string =>
  `---\nid: ${id}\nbudget:\n  seconds: 60\n---\n\`\`\`bash\nsleep 0.3\n\`\`\`\n\n\`\`\`bash\nsleep 0.2; echo after > ${id}\n\`\`\`\n`;

async function suspend(live: LiveHome, random: Random): Promise<void> {
  const { supervisors, workers } = live.processes();
  const all = [...supervisors, ...workers];
  killAll(all, 'SIGSTOP');
  await sleep(random.between(200, 2500));
  killAll(all, 'SIGCONT');
}

async function ended(live: LiveHome, id: string): Promise<string | null> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
    const page = live.page(id);
    if (page !== null && !page.includes('**⏸️ Blocked')) return page;
  }
  return null;
}
