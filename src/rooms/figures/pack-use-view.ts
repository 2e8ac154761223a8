/**
 * Owns: the fold of which memories in prompts were used: how many tokens they cost, and of how many nothing was seen in what
 * a model answered in the same task.
 *
 * P1 What is counted are facts and what happened. Whether a standing instruction was followed cannot be seen in words.
 * P2 A memory counts as used if an answer has two of the words that it added to the prompt, or all where it added fewer.
 * P3 A task counts once, on the day it ended (UTC). While it is open its memories are kept in a row of its own.
 */
import type { Event } from '../../core/schema/event.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { signsIn } from '../../kit/text/term-signs.ts';
import { storedRun } from '../../kit/views/run-rows.ts';
import { beforeDay } from './calendar-days.ts';

type PackUse = { tokens: number; unused: number };

type Item = { tokens: number; signs: number[]; found: number[] };

const dayPrefix = 'pack-use/day/';
const openKey = (root: string): string => `pack-use/open/${root}`;
const MOST_ITEMS = 300;
/** So many words of a memory show that it was used. */
const ENOUGH = 2;

export const packUseView: View = {
  name: 'pack-use',
  version: 1,
  types: ['context.packed', 'call.ended', 'run.ended'],
  take: ({ event }, rows) => {
    if (event.run === null) return;
    const root = storedRun(rows, event.run)?.root ?? event.run;
    if (event.type === 'context.packed') notePack(event, root, rows);
    else if (event.type === 'call.ended') noteAnswer(event, root, rows);
    else if (event.run === root) countTask(event.at, root, rows);
  },
};

/** Of all days, or since a date. */
export function packUse(rows: Rows, since: string | null): PackUse {
  const range = since === null ? {} : { after: dayPrefix + beforeDay(since.slice(0, 10)) };
  const sum = { tokens: 0, unused: 0 };
  for (const [, { tokens, unused }] of rows.each<PackUse>(dayPrefix, range)) {
    sum.tokens += tokens;
    sum.unused += unused;
  }
  return sum;
}

function notePack({ data }: Extract<Event, { type: 'context.packed' }>, root: string, rows: Rows): void {
  const items = data.items.flatMap(({ section, tokens, signs = [] }): Item[] =>
    (section === 'facts' || section === 'episodes') && signs.length > 0 ? [{ tokens, signs, found: [] }] : [],
  );
  if (items.length === 0) return;
  rows.put(openKey(root), [...(rows.get<Item[]>(openKey(root)) ?? []), ...items].slice(-MOST_ITEMS));
}

/** An answer of a model names who gave it. */
function noteAnswer({ data }: Extract<Event, { type: 'call.ended' }>, root: string, rows: Rows): void {
  if (typeof jsonField(data.output, 'model') !== 'string') return;
  const items = rows.get<Item[]>(openKey(root));
  if (items === undefined) return;
  const seen = signsIn(JSON.stringify(data.output));
  const found = items.map((item) => ({
    ...item,
    found: item.signs.filter((sign) => item.found.includes(sign) || seen.has(sign)),
  }));
  rows.put(openKey(root), found);
}

function countTask(at: string, root: string, rows: Rows): void {
  const items = rows.get<Item[]>(openKey(root));
  if (items === undefined) return;
  rows.put(openKey(root), null);
  const key = dayPrefix + at.slice(0, 10);
  const day = rows.get<PackUse>(key) ?? { tokens: 0, unused: 0 };
  for (const { tokens, signs, found } of items) {
    day.tokens += tokens;
    if (found.length < Math.min(ENOUGH, signs.length)) day.unused += tokens;
  }
  rows.put(key, day);
}
