/** What is seen of maintenance: when it works, what it shortens and forgets, and what it asks a model. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { write } from '../replica.ts';
import type { Story } from '../story.ts';
import { say } from '../wire-server-reply.ts';
import { clockIn } from './set-clock-in.ts';
import { commandIn, settingGroup } from './setting-group.ts';

type Slot = Extract<Event, { type: 'slot.came' }>['data'];
type Seen = { slots: Slot[]; page: string; facts: string; asked: number; told: string };

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const at = (day: number, time: string): number => TODAY + day * DAY_MS + Date.parse(`1970-01-01T${time}Z`);
const [FIRST, LATER, RETURN] = [at(100, '12:00:00'), at(150, '12:06:40'), at(152, '04:59:30')];
const timeOf = (moment: number): string => new Date(moment).toISOString();

const TASK = '---\nid: first\n---\n# Totals\n\n```sh\necho 3 > totals.csv\n```\n';
const CORRECTION =
  '---\nid: second\ncorrects: first\n---\n# Totals\n\nWrite the totals in euro.\n\n```sh\necho 4 > totals.csv\n```\n';

const imported: NewEvent = {
  type: 'fact.kept',
  data: {
    id: 'pears',
    text: 'The pears are ripe',
    namespace: 'general',
    importance: 0.5,
    confidence: 1,
    source: 'import',
    supersedes: [],
    evidence: [],
  },
};

async function slotsOf({ home }: Story): Promise<Slot[]> {
  const slots: Slot[] = [];
  for await (const event of readEvents(home.ledgers.maintenance))
    if (event.type === 'slot.came') slots.push(event.data);
  return slots;
}

/** Maintenance of a home from this time on, until it has noted a slot of its own. */
async function maintainFrom(story: Story, now: number, isSeen: (slots: Slot[]) => boolean): Promise<void> {
  const child = story.start(['maintain'], clockIn(story)(now));
  await story.until('a slot', async () => (isSeen(await slotsOf(story)) ? true : undefined));
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export const maintenanceSettings = settingGroup<Seen>({
  name: 'maintenance',
  model: () => say('[]'),
  config: ({ model }): { [key: string]: Json } => ({
    memory: { vectors: false },
    models: { use: 'custom:story', settings: { 'custom:story': { base_url: `${model.url}/v1` } } },
    maintenance: {
      slots: { learn: '7 * * * *', tidy: '0 5 * * *' },
      catch_up: false,
      compact_days: 20,
      unused_days: 30,
      wording: true,
    },
  }),
  act: async (story) => {
    const clock = clockIn(story);
    const run = async (now: number, ...words: string[]): Promise<string> =>
      (await commandIn(story, clock(now), ...words)).text;
    for (const [name, text] of [
      ['first.md', TASK],
      ['second.md', CORRECTION],
    ] as const)
      story.write(name, text);
    await write(story.home.ledgers.run, 'run', [imported]); // today, which is 100 days before the first pass
    await run(FIRST, 'memory', 'fact', 'add', 'The harvest was small');
    await run(FIRST, 'run', join(story.home.dir, 'first.md'));
    await run(FIRST, 'run', join(story.home.dir, 'second.md'));
    await run(FIRST, 'maintain', '--once');
    const asked = story.model.requests.length;
    story.write('third.md', TASK.replace('first', 'third'));
    await run(LATER, 'run', join(story.home.dir, 'third.md'));
    await maintainFrom(story, LATER, (slots) => slots.length > 0);
    await maintainFrom(story, RETURN, (slots) => slots.some(({ job }) => job === 'tidy'));
    return {
      slots: await slotsOf(story),
      page: readFileSync(join(story.home.oka, `memory/${timeOf(FIRST).slice(0, 10)}.md`), 'utf8'),
      facts: await run(RETURN, 'memory', 'fact', 'list'),
      asked,
      told: story.told.join('\n'),
    };
  },
  rows: {
    'maintenance.slots.learn': ({ slots }) =>
      expect(slots.find(({ job, how }) => job === 'learn' && how === 'ran')?.slot).toBe(timeOf(at(150, '12:07:00'))),
    'maintenance.slots.tidy': ({ slots }) =>
      expect(slots.filter(({ job }) => job === 'tidy').map(({ slot }) => slot)).toContain(timeOf(at(152, '05:00:00'))),
    'maintenance.catch_up': ({ slots }) => {
      const missed = slots.filter(({ how }) => how === 'missed');
      expect(missed.length).toBeGreaterThan(0);
      expect(missed.some(({ reason }) => /made up for/.test(reason ?? ''))).toBe(false);
    },
    'maintenance.compact_days': ({ page }) => expect(page).not.toContain('echo 3'),
    'maintenance.unused_days': ({ facts }) => {
      expect(facts).not.toContain('The pears are ripe');
      expect(facts).toContain('The harvest was small'); // what a person has said stays
    },
    'maintenance.wording': ({ asked }) => expect(asked).toBeGreaterThan(0),
  },
});
