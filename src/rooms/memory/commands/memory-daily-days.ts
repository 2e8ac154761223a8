import { listDays } from '../recall/search-memory.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { withRecall } from '../memory-access.ts';
import { count } from '../../../kit/cli/plain-text.ts';

type Data = { days: ReturnType<typeof listDays> };

export async function run({ home, options }: Call<{ limit: number }>): Promise<Answer<Data>> {
  const days = await withRecall(home, listDays);
  return answer({ days: options.limit === 0 ? days : days.slice(0, options.limit) });
}

export function render({ days }: Data): string {
  if (days.length === 0) return 'Memory is empty.\n';
  return days.map(({ day, pieces }) => `${day}  ${count(pieces, 'entry', 'entries')}\n`).join('');
}
