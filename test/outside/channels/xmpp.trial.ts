/** Talking to oka through real servers of XMPP, with a real worker: paired, asked, a task with files, kills and servers that end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { answerOf } from '../../support/chat-story.ts';
import { okaWith } from '../../support/cli.ts';
import { openStory, type Story } from '../../support/story.ts';
import {
  DOMAIN,
  openXmppServer,
  PASSWORD,
  xmppHere,
  type XmppKind,
  type XmppPerson,
  type XmppServer,
  type XmppShown,
} from '../../support/xmpp-servers.ts';

for (const [kind, isHere] of Object.entries(xmppHere))
  if (!isHere) console.error(`SKIPPED: XMPP with ${kind}, which is not here (apt-get install ${kind})`);

let server: XmppServer;
let story: Story;
let ann: XmppPerson;

async function setUp(kind: XmppKind): Promise<void> {
  server = await openXmppServer(kind);
  story = await openStory({
    model: (request) =>
      answerOf(({ request: { text } }) => `You said ${text.match(/number \d+/g)?.at(-1) ?? 'nothing'} & <b>`, request),
  });
  const words = ['secrets', 'set', 'XMPP', '--tool', 'channels.chat', '--host', DOMAIN];
  expect(await okaWith({ input: `${PASSWORD}\n` }, ...words, '--dir', story.home.dir)).toMatchObject({ code: 0 });
  const channels = { chat: server.entry };
  story.write('.oka/rules/channels.json', JSON.stringify({ announce: ['needs_you', 'done'], channels }));
  ann = await server.join('ann');
}

afterEach(async () => {
  await story[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const seen = (what: string, fits: (message: XmppShown) => boolean): Promise<XmppShown> =>
  story.until(what, async () => ann.shown.find(fits));
const says = (text: string) => (message: XmppShown) => message.text.includes(text);

async function pair(): Promise<void> {
  const { code } = JSON.parse((await story.oka('channels', 'pair', 'chat', '--json')).out) as { code: string };
  await ann.write(code);
  await seen('the welcome', says('Hello ann, I listen to you'));
}

const kinds = Object.entries(xmppHere).flatMap(([kind, isHere]) => (isHere ? [kind as XmppKind] : []));

describe.each(kinds)('XMPP with %s', (kind) => {
  it('hears what came while it was away or killed, in order and once, and answers each once', async () => {
    await setUp(kind);
    const worker = story.start(['worker']);
    await pair();
    worker.kill('SIGKILL');
    await new Promise((resolve) => worker.once('exit', resolve));
    for (let number = 1; number <= 12; number += 1) await ann.write(`number ${number}`);
    const next = story.start(['worker']);
    await story.until('three messages', async () =>
      (await story.eventsOf('message.posted')).length >= 3 ? true : undefined,
    );
    next.kill('SIGKILL');
    await new Promise((resolve) => next.once('exit', resolve));
    story.work();
    await story.until('all answers', async () => (ann.shown.filter(says('You said')).length >= 12 ? true : undefined));
    await sleep(1000);
    const posted = await story.eventsOf('message.posted');
    expect(posted.filter(({ data }) => data.kind === 'person').map(({ data }) => data.content)).toEqual(
      Array.from({ length: 12 }, (_, index) => `number ${index + 1}`),
    );
    expect(ann.shown.filter(says('You said'))).toHaveLength(posted.filter(({ data }) => data.kind === 'agent').length);
    expect(JSON.stringify(await story.events())).not.toContain(PASSWORD);
  });

  it('takes a file as a task, brings the result with its file, and goes on after the server was gone', async () => {
    await setUp(kind);
    story.work();
    await pair();
    story.drop('count.md', '---\nid: count\n---\nCount.\n\n```bash\nprintf "one\\ntwo\\n" > lines.txt\n```\n');
    const sent = await seen('the file', ({ file }) => file?.endsWith('lines.txt') === true);
    await ann.sendLink(sent.file ?? '');
    await seen('that it is on it', says('I am on it'));
    await story.until('the task', async () =>
      (await story.eventsOf('task.received')).find(({ data }) => data.name !== 'count.md'),
    );
    await ann.sendLink('https://127.0.0.2/secret.txt');
    await seen('that it is not fetched', says('I could not take it: it is on a server'));
    await server.stop();
    await server.start();
    ann = await server.join('ann');
    await ann.write('number 40');
    await seen('an answer', says('You said number 40'));
  });

  it('takes an answer from a reply to the question, and corrects the question', async () => {
    await setUp(kind);
    story.work();
    await pair();
    story.drop('push.md', 'Push it.\n\n```bash\ngit push https://git.example/repo main\n```\n');
    const asked = await seen('the question', says('Reply to this message with one of: Approve, Deny'));
    await ann.write('deny');
    const mallory = await server.join('mallory');
    await mallory.answer(asked, 'Approve');
    await sleep(1000);
    expect(await story.eventsOf('wait.closed')).toEqual([]);
    await ann.answer(asked, 'Deny');
    const closed = await story.until('the answer', async () => (await story.eventsOf('wait.closed'))[0]);
    expect(closed.data.answer).toMatchObject({ verdict: 'denied', through: 'chat', by: ann.address });
    await story.until('that it is settled', async () => (asked.text.includes('Denied at') ? true : undefined));
  });
});
