/** A worker that is killed again and again while agents talk: every notice is answered once, in order, none is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { chance } from '../support/chance.ts';
import { accountOf } from '../support/chat-trial.ts';
import { openChatStory, persona } from '../support/chat-story.ts';
import { scaled } from '../support/thorough.ts';

const KILLS = scaled(10);
const names = ['arya', 'bran', 'catelyn', 'davos', 'edric'];
const rooms = ['hall', 'yard', 'tower'];

it(`a worker that is killed ${KILLS} times at random moments answers every notice once and in order`, {
  timeout: 120_000 + KILLS * 20_000,
}, async () => {
  const random = chance(7);
  await using chat = await openChatStory(
    Object.fromEntries(names.map((name) => [name, persona('Forwards.')])),
    ({ agent, request }) => {
      const step = Number([...request.text.matchAll(/step (\d+)/g)].at(-1)?.[1] ?? '0') + 1;
      const next = names[(names.indexOf(agent) + step) % names.length] ?? '';
      return step % 4 === 0 || next === agent ? `step ${step} done` : `step ${step} @${next} go on`;
    },
  );
  for (const room of rooms) chat.open(room);
  const sent: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    for (const room of rooms) sent.push(chat.post(room, kill % 2 === 0 ? '@arya @davos begin' : '@all what now?'));
    if (kill % 4 === 1) chat.request({ kind: 'chat_pause', conversations: [rooms[kill % 3] ?? 'hall'] });
    if (kill % 4 === 3) chat.request({ kind: 'chat_resume' });
    const before = (await chat.story.events()).length;
    const worker = chat.story.start(['worker']);
    await chat.story.until('work', async () => ((await chat.story.events()).length > before ? true : undefined));
    await sleep(random() * 1500);
    worker.kill('SIGKILL');
    await new Promise((done) => worker.once('exit', done));
  }
  chat.request({ kind: 'chat_resume' });
  chat.story.work();
  for (const room of rooms)
    await chat.settled(room, 1).catch(async (error: unknown) => {
      const open = await chat.conversation(room);
      const run = open?.queue[0]?.run ?? null;
      const own = (await chat.story.events()).filter((event) => event.run === run);
      const seen = own.map(({ seq, type, data }) => `${seq} ${type} ${JSON.stringify(data).slice(0, 100)}`);
      throw new Error([JSON.stringify(open), ...seen].join('\n'), { cause: error });
    });
  const account = accountOf(await chat.story.events());
  expect(account.problems).toEqual([]);
  expect(account.posted.toSorted()).toEqual(sent.toSorted());
  expect(account.answered.length).toBeGreaterThan(sent.length);
});
