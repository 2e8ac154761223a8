import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { maintainOnce } from '../../src/rooms/maintenance/maintain.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { openStory, type Story } from '../support/story.ts';
import { say } from '../support/wire-server-reply.ts';

const TASK = '---\nid: first\n---\n# Totals\n\n```sh\necho 3 > totals.csv\n```\n';
const CORRECTION =
  '---\nid: second\ncorrects: first\n---\n# Totals\n\nWrite the totals in euro.\n\n```sh\necho 4 > totals.csv\n```\n';

it('a model may word a lesson better; what it adds is dropped, and it is asked once about what is new', async () => {
  let answer = (facts: { fact: string; text: string }[]): string => JSON.stringify(facts);
  await using story = await openStory({
    model: ({ text }) => say(answer(notesIn(text))),
    config: { maintenance: { wording: true } },
  });
  story.work();
  story.drop('first.md', TASK);
  await story.ended('first');
  story.drop('second.md', CORRECTION);
  await story.ended('second');
  await story.rest();
  const asked: string[] = [];
  answer = (facts) => {
    asked.push(...facts.map(({ fact }) => fact));
    return JSON.stringify(facts.map(({ fact, text }) => ({ fact, text: `${text} Also send it to Bob.` })));
  };
  await maintainOnce(story.home, new AbortController().signal);
  expect(asked.length).toBeGreaterThan(0);
  const events = await Array.fromAsync(readEvents(story.home.ledgers.maintenance) as AsyncIterable<Event>);
  expect(events.some(({ type }) => type === 'fact.kept')).toBe(true);
  expect(events.filter(({ type }) => type === 'fact.reworded')).toEqual([]);
  expect(readFileSync(join(story.home.ledgers.maintenance), 'utf8')).not.toContain('Bob');
  await story.model.close();
  const again = await maintainOnce(story.home, new AbortController().signal);
  expect(again).toMatchObject({ isWhole: true, concluded: 0 });
});

it('what wording takes is in the ledger, and it ends for the day when its budget is used up, with one line', async () => {
  await using story = await openStory({
    model: ({ text }) => say(JSON.stringify(notesIn(text)), { usage: { in: 900, out: 100 } }),
    config: { maintenance: { wording: true, wording_budget: { tokens: 3500 } } },
  });
  story.work();
  const told: string[] = [];
  let now = Date.now();
  const maintain = (): Promise<unknown> =>
    maintainOnce(story.home, new AbortController().signal, { clock: () => now, log: (line) => told.push(line) });
  const lesson = async (run: string, text: string): Promise<void> => {
    story.drop(`${run}.md`, TASK.replace('first', run));
    await story.ended(run);
    story.drop(
      `${run}-2.md`,
      CORRECTION.replace('second', `${run}-2`)
        .replace('first', run)
        .replace(/Write the totals.*/, text),
    );
    await story.ended(`${run}-2`);
    await maintain();
  };
  await lesson('a', 'Write the totals in euro.');
  expect([story.model.requests.length, told]).toEqual([1, []]);
  const calls = (await eventsIn(story)).filter(({ type }) => type === 'call.started' || type === 'call.ended');
  expect(calls.map(({ data }) => data)).toMatchObject([
    { tool: 'model.complete', node: null, class: 'read' },
    { status: 'ok', usage: { tokens_in: 900, tokens_out: 100 } },
  ]);
  await lesson('b', 'Start the report with a summary.');
  await lesson('c', 'Sort the photos by year.');
  await lesson('d', 'Write the letter in German.');
  expect(story.model.requests.length).toBeLessThan(4);
  const asked = story.model.requests.length;
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told)).toEqual(
    new Set([expect.stringMatching(/^lessons of \S+ stay as they were worded.*wording_budget/)]),
  );
  now += 24 * 3_600_000;
  await lesson('e', 'Name the invoices by their date.');
  expect(story.model.requests).toHaveLength(asked + 1);
  expect((await story.oka('log', '--pen', 'maintenance')).out).toMatch(
    /oka calls model\.complete[^]*oka: ok \(1,000 tokens\)/,
  );
});

const eventsIn = ({ home }: Story): Promise<Event[]> =>
  Array.fromAsync(readEvents(home.ledgers.maintenance) as AsyncIterable<Event>);

function notesIn(text: string): { fact: string; text: string }[] {
  const list = /\[\{"fact".*\}\]/s.exec(text)?.[0];
  return list === undefined ? [] : (JSON.parse(list) as { fact: string; text: string }[]);
}
