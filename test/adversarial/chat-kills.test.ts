/**
 * A worker that is killed again and again while people and agents talk in several conversations: no message is lost,
 * every notice is answered once, and the order is kept. OKA_TEST_SCALE=10 is a hundred kills and a thousand messages.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Event } from '../../src/core/schema/event.ts';
import { chance } from '../support/chance.ts';
import { accountOf } from '../support/chat-trial.ts';
import { type ChatStory, openChatStory, persona, type Speaker } from '../support/chat-story.ts';
import { scaled } from '../support/thorough.ts';

const KILLS = scaled(10);
const MESSAGES_PER_LIFE = 10;
const names = ['arya', 'bran', 'catelyn', 'davos', 'edric'];
const rooms = ['hall', 'yard', 'tower', 'crypt'];

/** Forwards about every third message that it answers, to the next agent. */
const forwarding: Speaker = ({ agent, message }) => {
  const next = names[(names.indexOf(agent) + 1) % names.length] ?? '';
  return message.charCodeAt(message.length - 1) % 3 === 0 ? `@${next} go on` : 'That is all.';
};

it(`a worker that is killed ${KILLS} times in ${KILLS * MESSAGES_PER_LIFE} messages answers every notice once and in order`, {
  timeout: 240_000 + KILLS * 30_000,
}, async () => {
  const random = chance(7);
  await using chat = await openChatStory(
    Object.fromEntries(names.map((name) => [name, persona('Forwards.')])),
    forwarding,
  );
  for (const room of rooms) chat.open(room);
  const sent: { room: string; id: string }[] = [];
  const send = (count: number): void => {
    for (let each = 0; each < count; each += 1) {
      const room = rooms[Math.floor(random() * rooms.length)] ?? 'hall';
      sent.push({ room, id: chat.post(room, question(random, sent.length)) });
    }
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    send(MESSAGES_PER_LIFE / 2);
    if (kill % 4 === 1) chat.request({ kind: 'chat_pause', conversations: [rooms[kill % 3] ?? 'hall'] });
    if (kill % 4 === 3) chat.request({ kind: 'chat_resume' });
    const before = (await chat.story.events()).length;
    const worker = chat.story.start(['worker']);
    await chat.story.until('work', async () => ((await chat.story.events()).length > before ? true : undefined));
    send(MESSAGES_PER_LIFE / 2);
    await sleep(random() * 1500);
    worker.kill('SIGKILL');
    await new Promise((done) => worker.once('exit', done));
  }
  chat.request({ kind: 'chat_resume' });
  chat.story.work();
  await answered(chat, sent.length);
  const events = await chat.story.events();
  const account = accountOf(events);
  expect(account.problems).toEqual([]);
  for (const room of rooms) {
    const own = sent.filter((each) => each.room === room).map(({ id }) => id);
    const shown = (await chat.messages(room)).flatMap(({ kind, id }) => (kind === 'person' ? [id] : []));
    expect(shown).toEqual(own);
  }
  expect(account.posted).toHaveLength(sent.length);
  expect(account.answered.length).toBeGreaterThan(sent.length);
  expect(problemsAfter(events)).toEqual([
    expect.stringContaining('was not answered'),
    expect.stringContaining('was answered twice'),
    expect.stringContaining('was answered out of order'),
  ]);
});

/** Most ask one agent, some two, and a few everybody. */
function question(random: () => number, at: number): string {
  const [one, other] = [random(), random()].map((each) => names[Math.floor(each * names.length)] ?? 'arya');
  if (at % 25 === 24) return '@all what now?';
  return at % 10 === 9 ? `@${one} @${other} look at ${at}` : `@${one} look at ${at}`;
}

/** However long it takes, as long as answers come. */
async function answered({ story, conversation }: ChatStory, atLeast: number): Promise<void> {
  for (let count = -1; ; ) {
    const isOver = await story.until('another answer', async () => {
      const now = (await story.eventsOf('message.posted')).filter(({ data }) => data.notice !== undefined).length;
      const open = (await Promise.all(rooms.map(conversation))).map((each) => each?.queue.length ?? 1);
      if (now >= atLeast && open.every((each) => each === 0)) return true;
      if (now === count) return undefined;
      count = now;
      return false;
    });
    if (isOver) return;
  }
}

/** What the account says first of a ledger that lacks an answer, that has one twice, and that has two the wrong way round. */
function problemsAfter(events: readonly Event[]): (string | undefined)[] {
  const places = events.flatMap((event, place) => (isAnswerIn(event, 'c-hall') ? place : []));
  const [first = 0, second = 0] = places;
  const swapped = [...events];
  [swapped[first], swapped[second]] = [events[second] as Event, events[first] as Event];
  const twice = [...events, events[first] as Event];
  return [events.toSpliced(first, 1), twice, swapped].map((changed) => accountOf(changed).problems[0]);
}

const isAnswerIn = ({ type, data }: Event, conversation: string): boolean =>
  type === 'message.posted' && data.notice !== undefined && data.conversation === conversation;
