/** Talking to oka through a server of Slack, with a real worker: paired, asked, a task with files, buttons, kills and lost answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerOf } from '../../support/chat-story.ts';
import { okaWith } from '../../support/cli.ts';
import {
  APP_TOKEN,
  BOT_TOKEN,
  openSlackServer,
  type SlackMessage,
  type SlackServer,
} from '../../support/slack-server.ts';
import { openStory, type Story } from '../../support/story.ts';

const ANN = 'U0Ann';
const CHAT = 'D1';
let server: SlackServer;
let story: Story;

beforeEach(async () => {
  server = await openSlackServer();
  story = await openStory({
    model: (request) =>
      answerOf(
        ({ request: { text } }) => `You said ${text.match(/number \d+/g)?.at(-1) ?? 'nothing'} & <!here>`,
        request,
      ),
  });
  for (const [name, value] of [
    ['SLACK', BOT_TOKEN],
    ['SLACK_APP', APP_TOKEN],
  ] as const) {
    const words = ['secrets', 'set', name, '--tool', 'channels.work', '--host', server.host];
    expect(await okaWith({ input: `${value}\n` }, ...words, '--dir', story.home.dir)).toMatchObject({ code: 0 });
  }
  const work = { kind: 'slack', token: 'secret:SLACK', app_token: 'secret:SLACK_APP', api: server.url };
  story.write('.oka/rules/channels.json', JSON.stringify({ announce: ['needs_you', 'done'], channels: { work } }));
});
afterEach(async () => {
  await story[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const seen = (what: string, fits: (message: SlackMessage) => boolean, chat = CHAT): Promise<SlackMessage> =>
  story.until(what, async () => server.shown(chat).find(fits));
const says = (words: string) => (message: SlackMessage) => message.text.includes(words);
const buttonsOf = ({ blocks = [] }: SlackMessage): string[] =>
  blocks.flatMap(({ elements = [] }) => elements.map(({ text }) => text.text));

async function pair(): Promise<void> {
  const { code } = JSON.parse((await story.oka('channels', 'pair', 'work', '--json')).out) as { code: string };
  server.write(ANN, CHAT, code);
  await seen('the welcome', says('Hello Ann, I listen to you'));
}

describe('Slack', () => {
  it('hears what came while it was away or killed, in order and once, and sends nothing twice', async () => {
    const worker = story.start(['worker']);
    await pair();
    server.loseNext(1);
    server.write(ANN, CHAT, 'number 0');
    await seen('an answer', says('You said number 0'));
    worker.kill('SIGKILL');
    await new Promise((resolve) => worker.once('exit', resolve));
    for (let number = 1; number <= 7; number += 1) server.write(ANN, CHAT, `number ${number}`);
    story.work();
    await story.until('all answers', async () =>
      server.shown(CHAT).filter(says('You said')).length >= 8 ? true : undefined,
    );
    server.disconnect();
    server.repeat(3);
    server.fail(429, 1);
    server.write(ANN, CHAT, 'number 8');
    await story.until('all answers', async () =>
      server.shown(CHAT).filter(says('You said')).length >= 9 ? true : undefined,
    );
    await sleep(1500);
    const posted = await story.eventsOf('message.posted');
    expect(posted.filter(({ data }) => data.kind === 'person').map(({ data }) => data.content)).toEqual(
      Array.from({ length: 9 }, (_, index) => `number ${index}`),
    );
    expect(server.shown(CHAT).filter(says('You said'))).toHaveLength(9);
    expect(server.shown(CHAT).find(says('number 8'))?.text).toBe('You said number 8 &amp; &lt;!here&gt;');
    expect(server.open()).toBe(0);
    const events = JSON.stringify(await story.events());
    for (const token of [BOT_TOKEN, APP_TOKEN]) expect(events).not.toContain(token);
  });

  it('does a task with a file, sends its result, and undoes it by a button', async () => {
    story.work();
    await pair();
    server.writeFile(
      ANN,
      CHAT,
      'notes.txt',
      'one\ntwo\n',
      '/task Count.\n\n```bash\nwc -l < notes.txt > count.txt\n```\n',
    );
    const result = await seen('the result', (message) => buttonsOf(message).includes('Undo'));
    const sent = await seen('the file', ({ files }) => files?.[0]?.name === 'count.txt');
    expect(sent.files?.[0]?.content).toBe('2\n');
    server.press(ANN, result, 'Undo');
    await story.until('the undoing', async () => (await story.eventsOf('run.undone'))[0]);
  });

  it('what changes something outside takes two taps of the right person, each of which counts once', async () => {
    story.work();
    await pair();
    story.drop('push.md', 'Push it.\n\n```bash\ngit push https://git.example/repo main\n```\n');
    const asked = await seen('the question', (message) => buttonsOf(message).includes('Approve'));
    const text = asked.blocks?.[0]?.text?.text;
    server.press('U0Mallory', asked, 'Approve');
    await story.until('the refusal', async () => server.ephemeral.find((words) => words === 'This is not for you.'));
    server.press(ANN, asked, 'Approve', 2);
    const again = await seen('the second tap', (message) => buttonsOf(message).includes('Yes, do exactly this'));
    expect(again.blocks?.[0]?.text?.text).toBe(text);
    expect(await story.eventsOf('wait.closed')).toEqual([]);
    server.press(ANN, again, 'Yes, do exactly this');
    const closed = await story.until('the approval', async () => (await story.eventsOf('wait.closed'))[0]);
    expect(closed.data.answer).toMatchObject({ verdict: 'approved', through: 'work', by: ANN });
    await seen('that it is settled', ({ ts, text: words }) => ts === asked.ts && words.includes('Approved at'));
  });
});
