/** Lives the month: real tasks through the real worker and maintenance, day by day, with a clock that runs ahead. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clockAhead } from '../../../bench/month/clock.ts';
import { maintainOnce } from '../../../src/rooms/maintenance/maintain.ts';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { MemoryAbout } from '../../../src/core/schema/knowledge.ts';
import { openStory, type Story } from '../story.ts';
import { isReply, mind } from './mind.ts';
import { type Ask, asks, BEN_SAYS, CHAT, CHAT_OFF, FEEDS, markOn, SAYS_IN_CHAT } from './tasks.ts';

export type Done = {
  ask: Ask;
  status: string;
  /** What is in the file now. */
  result: string;
  plannedBy: string;
  /** What a procedure that fits had to do with it; null where none fits. */
  arm: string | null;
  /** How often a model was asked. */
  thoughts: number;
  /** Texts of the facts that the prompt of the planner contained. */
  reminded: string[];
};

export type Day = { day: number; date: string; done: Done[]; learned: Event[] };
/** `texts` are those of the facts that were learned, by their ids. */
export type Fortnight = { story: Story; days: Day[]; about: MemoryAbout; texts: ReadonlyMap<string, string> };

/** A Monday in years to come: no file of this machine is younger. */
const FIRST = Date.parse('2030-03-04T08:00:00.000Z');
const DAY_MS = 86_400_000;
export const DAYS = 30;

/** Whoever asks has to dispose of the story. */
export async function liveFortnight(): Promise<Fortnight> {
  const story = await openStory({
    model: mind,
    config: { inbox: { settle_ms: 0, rescan_ms: 100 }, memory: { vectors: false } },
  });
  using clock = clockAhead();
  for (const [path, text] of Object.entries(FEEDS)) writeDesk(story, path, text);
  const days: Day[] = [];
  const texts = new Map<string, string>();
  let seen = 0;
  clock.by(FIRST - Date.now());
  story.work();
  for (let day = 1; day <= DAYS; day += 1) {
    clock.by(FIRST + (day - 1) * DAY_MS - Date.now());
    if (day === 6) await importChat(story);
    await talk(story, day);
    const done: Done[] = [];
    for (const ask of asks.filter((each) => each.day === day)) done.push(await carryOut(story, ask, texts));
    await maintainOnce(story.home, new AbortController().signal);
    const learned: Event[] = [];
    for await (const event of readEvents(story.home.ledgers.maintenance, { from: seen + 1 })) {
      seen = event.seq;
      learned.push(event);
      if (event.type === 'fact.kept') texts.set(event.data.id, event.data.text);
    }
    days.push({ day, date: new Date(FIRST + (day - 1) * DAY_MS).toISOString().slice(0, 10), done, learned });
  }
  await story.rest();
  const { out } = await story.oka('memory', 'about', '--days', String(DAYS), '--json');
  return { story, days, about: MemoryAbout.parse(JSON.parse(out)), texts };
}

/** Requests for tasks. A reply in the conversation comes when it comes. */
const asked = (story: Story): number => story.model.requests.filter((request) => !isReply(request)).length;

async function carryOut(story: Story, ask: Ask, texts: ReadonlyMap<string, string>): Promise<Done> {
  const { id, title, body, says, corrects, path } = ask;
  const before = asked(story);
  mkdirSync(dirname(story.desk(path)), { recursive: true });
  if (ask.habit === 'total') writeTill(story, ask);
  const front = [`id: ${id}`, `title: ${title}`, ...(corrects === undefined ? [] : [`corrects: ${corrects}`])];
  story.drop(`${id}.md`, `---\n${front.join('\n')}\n---\n${body}\n${says === undefined ? '' : `\n${says}\n`}`);
  if (ask.habit === 'trip') await answerAsBen(story);
  const { status } = await story.ended(id);
  const plans = (await story.eventsOf('call.ended', id)).filter(({ data }) => data.node === 'plan');
  const packs = (await story.eventsOf('context.packed', id)).filter(({ data }) => data.role === 'planner');
  const packed = packs.flatMap(({ data }) => data.items.map((item) => item.id.replace(/^fact:/, '')));
  return {
    ask,
    status,
    result: story.deskText(path) ?? '',
    plannedBy: (plans.at(-1)?.data.output as { by?: string } | undefined)?.by ?? 'nobody',
    arm: (await story.eventsOf('procedure.chosen', id)).at(-1)?.data.arm ?? null,
    thoughts: asked(story) - before,
    reminded: [...new Set(packed)].flatMap((item) => texts.get(item) ?? []),
  };
}

const CONVERSATION = 'house';

async function talk(story: Story, day: number): Promise<void> {
  const says = SAYS_IN_CHAT[day];
  if (day === Number(Object.keys(SAYS_IN_CHAT)[0])) await story.oka('chat', 'new', CONVERSATION);
  if (says !== undefined) await story.oka('chat', 'send', CONVERSATION, says);
  if (day === CHAT_OFF) await story.oka('chat', 'memory', CONVERSATION, 'off');
}

function writeTill(story: Story, { day, about, body }: Ask): void {
  const sum = Number(/\d+/.exec(about)?.[0]);
  const [path = ''] = /till\/\S+\.csv/.exec(body) ?? [];
  const rows = [
    ['what', 'sum'],
    ['tea', '1'],
    ['cake', String(sum - 1)],
  ];
  writeDesk(story, path, `${rows.map((row) => row.join(markOn(day))).join('\n')}\n`);
}

async function answerAsBen(story: Story): Promise<void> {
  const { wait } = await story.asked('question');
  const answer = { verdict: 'answered', by: 'Ben', text: BEN_SAYS } as const;
  submit(join(story.home.oka, 'intake'), { kind: 'answer', wait, answer });
}

async function importChat(story: Story): Promise<void> {
  const file = join(story.home.dir, 'kitchen.jsonl');
  writeFileSync(file, `${CHAT.map((line) => JSON.stringify(line)).join('\n')}\n`);
  await story.oka('memory', 'import', file);
  await story.until('the chat', async () => ((await story.eventsOf('episode.imported')).length > 0 ? true : undefined));
}

function writeDesk(story: Story, path: string, text: string): void {
  mkdirSync(dirname(story.desk(path)), { recursive: true });
  writeFileSync(story.desk(path), text);
}
