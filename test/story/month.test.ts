import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { POISON } from '../../bench/month/families.ts';
import { live } from '../../bench/month/month.ts';
import { outcomeOf } from '../../bench/month/outcome.ts';
import { isThorough } from '../support/thorough.ts';

const DAYS = 8;

it.runIf(isThorough)(
  'what goes well again and again is done without a model in the end; what only seems to is not, and poison is never learned',
  async () => {
    const month = await live({
      seed: 1,
      days: DAYS,
      tasksADay: 22,
      kinds: ['welcome', 'export', 'digest'],
      config: { maintenance: { procedures: { trial_share: 0.5 } } },
    });
    await using story = month.story;
    const outcome = outcomeOf(month, DAYS);
    expect(outcome).toMatchObject({ promoted: ['welcome'], wrongly: [], freeAtFirst: 0 });
    const last = month.given.filter(({ day, task }) => day === DAYS - 1 && task.family === 'welcome');
    const free = last.filter(({ run }) => month.tasks.get(run)?.thoughts === 0);
    expect(free.length).toBeGreaterThan(last.length / 2);
    const fooled = month.given.filter(
      ({ run, task }) => task.family === 'digest' && month.tasks.get(run)?.status === 'done',
    );
    expect(fooled).not.toEqual([]);
    expect(textsBelow(join(story.home.oka, 'brain')).join('\n')).not.toContain(POISON);
    expect(textsBelow(join(story.home.oka, 'brain')).join('\n')).toContain('Welcome');
  },
  240_000,
);

function textsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}
