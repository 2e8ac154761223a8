/** The query of the page Days: what happened day by day, as maintenance wrote it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { dayOfPageName } from '../pages/day-entries.ts';
import { readPageBytes } from '../../../kit/learning/page-files.ts';
import { splitText } from '../../../kit/learning/page-text.ts';
import { errnoOf, OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { Day, DaysAnswer } from './day-answers.ts';

export const daysQuery = defineQuery({
  params: z.strictObject({ day: Day.optional().describe('Which day; the last one when left out.') }),
  answer: DaysAnswer,
  read: async ({ home, params }) => {
    const days = listDayPages(home);
    const day = params.day ?? days[0] ?? null;
    if (day === null) return { days, day, page: '', notes: '', file: null };
    if (!days.includes(day)) throw new OkaError('usage', `there is no page of ${day}`);
    const { ours, people } = splitText(readPageBytes(join(home.oka, 'memory', `${day}.md`))?.toString('utf8') ?? '');
    const page = ours.map(({ text }) => text).join('\n');
    return { days, day, page, notes: people.join('\n'), file: `.oka/memory/${day}.md` };
  },
});

function listDayPages(home: Home): string[] {
  try {
    const names = readdirSync(join(home.oka, 'memory'));
    return names
      .flatMap((name) => dayOfPageName(`memory/${name}`) ?? [])
      .toSorted()
      .toReversed();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
