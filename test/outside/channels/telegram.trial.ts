/** Talking to oka through a server of Telegram's Bot API, with a real worker: paired, asked, a task, an approval, undone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerOf } from '../../support/chat-story.ts';
import { okaWith } from '../../support/cli.ts';
import { openStory, type Story } from '../../support/story.ts';
import {
  openTelegramServer,
  type Person,
  type Shown,
  type TelegramServer,
  TOKEN,
} from '../../support/telegram-server.ts';

const ann: Person = { id: 4711, first_name: 'Ann' };
const bob: Person = { id: 815, first_name: 'Bob' };
const stranger: Person = { id: 666, first_name: 'Mallory' };

let server: TelegramServer;
let story: Story;

async function setUp(extra: object = {}): Promise<void> {
  const words = ['secrets', 'set', 'TELEGRAM', '--tool', 'channels.phone', '--host', server.host];
  expect(await okaWith({ input: `${TOKEN}\n` }, ...words, '--dir', story.home.dir)).toMatchObject({ code: 0 });
  const phone = { kind: 'telegram', token: 'secret:TELEGRAM', api: server.url, ...extra };
  story.write('.oka/rules/channels.json', JSON.stringify({ announce: ['needs_you', 'done'], channels: { phone } }));
}

const seen = (what: string, fits: (message: Shown) => boolean): Promise<Shown> =>
  story.until(what, async () => server.shown.find((message) => !message.isDeleted && fits(message)));

const codeFor = async (channel: string): Promise<string> => {
  const { code } = JSON.parse((await story.oka('channels', 'pair', channel, '--json')).out) as { code: string };
  return code;
};

async function pair(person: Person): Promise<void> {
  server.write(person, await codeFor('phone'));
  await seen(
    'the welcome',
    ({ text, chat }) => text.startsWith(`Hello ${person.first_name}`) && chat === String(person.id),
  );
}

const handled = async (count: number): Promise<string[]> =>
  story.until(`${count} messages`, async () => {
    const received = await story.eventsOf('channel.received');
    return received.length >= count ? received.map(({ data }) => data.became) : undefined;
  });

beforeEach(async () => {
  server = await openTelegramServer();
  story = await openStory({
    model: (request) =>
      answerOf(({ request: { text } }) => `You said: ${text.match(/tea|milk/g)?.at(-1) ?? 'nothing'} & <b>`, request),
  });
});
afterEach(async () => {
  await story[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

describe('a messenger', () => {
  it('listens to nobody before they are paired, answers a stranger once, and is paired once by the code', async () => {
    await setUp();
    story.work();
    server.write(stranger, 'delete everything');
    server.write(stranger, '/task echo owned > owned.txt');
    await handled(2);
    const code = await codeFor('phone');
    server.write(ann, code);
    await seen('the welcome', ({ text }) => text.startsWith('Hello Ann'));
    server.write(stranger, code);
    await handled(4);
    expect(server.shown.filter(({ chat }) => chat === '666').map(({ text }) => text)).toEqual([
      'Hello. I only listen to people whom my owner has introduced to me.',
    ]);
    expect((await story.eventsOf('channel.paired')).map(({ data }) => data.person)).toEqual(['4711']);
    expect(await story.eventsOf('task.received')).toEqual([]);
    expect(JSON.stringify(await story.events())).not.toContain(TOKEN);
  });

  it('answers in a conversation, in order and once, also when updates come twice', async () => {
    await setUp();
    story.work();
    await pair(ann);
    server.write(ann, 'Remember the milk');
    await seen('an answer', ({ text }) => text === 'You said: milk & <b>');
    server.repeat(1);
    server.write(ann, 'And now tea');
    await seen('the next answer', ({ text }) => text === 'You said: tea & <b>');
    await sleep(1500);
    expect(server.shown.map(({ text }) => text).filter((text) => text.startsWith('You said'))).toEqual([
      'You said: milk & <b>',
      'You said: tea & <b>',
    ]);
    expect((await story.eventsOf('message.posted')).filter(({ data }) => data.kind === 'person')).toHaveLength(2);
  });

  it('does a task with a file, sends the result with its picture or file, and undoes it by a button', async () => {
    await setUp();
    story.work();
    await pair(ann);
    const words = '/task Count the lines.\n\n```bash\nwc -l < notes.txt > count.txt\n```\n';
    server.writeFile(ann, 'notes.txt', 'one\ntwo\n', words);
    await seen('that it is on it', ({ text }) => text === 'I am on it.');
    const result = await seen('the result', ({ buttons }) => buttons.some(({ text }) => text === 'Undo'));
    expect(result.chat).toBe('4711');
    await seen('the file', ({ file }) => file?.name === 'count.txt');
    server.press(ann, result, 'Undo');
    await story.until('the undoing', async () => (await story.eventsOf('run.undone'))[0]);
    await story.until('the word at the button', async () =>
      server.toasts.find((text) => text === 'It is being undone.'),
    );
  });

  it('says how things are: all to the owner, and to others what they have sent; each undoes their own', async () => {
    await setUp();
    story.work();
    await pair(ann);
    await pair(bob);
    server.write(ann, '/task Count.\n\n```bash\necho 1 > ann.txt\n```\n');
    await seen('the result of Ann', ({ text, chat }) => chat === '4711' && text.includes('Count'));
    expect(server.commands()).toEqual(['task', 'status', 'tasks', 'cost', 'undo', 'stop', 'help']);
    server.write(bob, '/tasks');
    await seen('nothing of others', ({ text, chat }) => chat === '815' && text === 'There was no task within a day.');
    server.write(bob, '/undo');
    await seen('nothing to undo', ({ text }) => text === 'You have not sent a task from here.');
    server.write(ann, '/tasks');
    await seen('her task', ({ text, chat }) => chat === '4711' && /^. Count\. \(done\)/m.test(text));
    server.write(bob, '/status');
    await seen('a status without costs', ({ text, chat }) => chat === '815' && text.endsWith('Ended within a day: 0.'));
    server.write(ann, '/status');
    await seen('a status', ({ text }) => /Ended within a day: 1\.\nToday: 0 calls/.test(text));
    server.write(ann, '/undo');
    await seen(
      'that it is undone',
      ({ text, chat }) => chat === '4711' && text === 'Undone: 0 files as before, 1 removed.',
    );
    expect(await story.eventsOf('run.undone')).toHaveLength(1);
  });

  it('hears nobody any more, and sends them nothing, who was unpaired; also without a worker', async () => {
    await setUp();
    story.work();
    await pair(ann);
    await pair(bob);
    expect((await story.oka('channels', 'unpair', 'phone')).err).toContain('4711 (Ann), 815 (Bob)');
    server.write(bob, '/task Wait.\n\n```bash\nsleep 4; echo secret\n```\n');
    await seen('that it is on it', ({ text, chat }) => chat === '815' && text === 'I am on it.');
    expect((await story.oka('channels', 'unpair', 'phone', 'Bob')).out).toContain('Bob is not heard in phone');
    await seen('the result, at the owner', ({ text, chat }) => chat === '4711' && text.includes('Wait'));
    server.write(bob, 'Hello?');
    await seen('a line for strangers', ({ text, chat }) => chat === '815' && text.startsWith('Hello. I only listen'));
    expect(server.shown.filter(({ text, chat }) => chat === '815' && text.includes('secret'))).toEqual([]);
    await story.rest();
    expect((await story.oka('channels', 'unpair', 'phone', '--json')).code).toBe(0);
    expect((await story.oka('channels', 'unpair', 'phone')).err).toContain('nobody is paired');
    expect(JSON.parse((await story.oka('channels', 'list', '--json')).out)).toMatchObject({
      channels: [{ paired: [] }],
    });
  });

  it('a file that cannot be fetched stops nothing: its sender is told, and the next message is answered', async () => {
    await setUp();
    story.work();
    await pair(ann);
    server.writeFile(ann, 'large.bin', 'x'.repeat(21 * 1024 * 1024), '/task Look at it.');
    server.write(ann, 'Remember the milk');
    await seen('that it could not be taken', ({ text }) => text.startsWith('I could not take it'));
    await seen('an answer', ({ text }) => text === 'You said: milk & <b>');
    expect(await story.eventsOf('task.received')).toEqual([]);
  });

  it('what changes something outside takes two taps, of the right person, at the right message', async () => {
    await setUp();
    story.work();
    await pair(ann);
    story.drop('push.md', 'Push it.\n\n```bash\ngit push https://git.example/repo main\n```\n');
    const asked = await seen('the question', ({ buttons }) => buttons.some(({ text }) => text === 'Approve'));
    server.press({ ...stranger, chat: { id: ann.id, type: 'private' } }, asked, 'Approve');
    await story.until('the refusal', async () => server.toasts.find((text) => text === 'This is not for you.'));
    server.press(ann, asked, 'Approve');
    const again = await seen('the second tap', ({ buttons }) => buttons.some(({ text }) => text.startsWith('Yes, do')));
    expect(again.id).toBe(asked.id);
    expect(again.text).toBe(asked.text);
    expect(await story.eventsOf('wait.closed')).toEqual([]);
    const elsewhere = server.shown.find(({ text }) => text.startsWith('Hello Ann'));
    if (elsewhere === undefined) throw new Error('there is no other message');
    server.press(ann, { ...elsewhere, buttons: again.buttons }, 'Yes, do exactly this');
    await story.until('the refusal', async () => server.toasts.find((text) => text.includes('another message')));
    expect(await story.eventsOf('wait.closed')).toEqual([]);
    server.press(ann, again, 'Yes, do exactly this');
    const closed = await story.until('the approval', async () => (await story.eventsOf('wait.closed'))[0]);
    expect(closed.data.answer).toMatchObject({ verdict: 'approved', through: 'phone', by: '4711' });
    await seen('that it is settled', ({ id, text }) => id === asked.id && text.includes('Approved at'));
    server.press(ann, again, 'Yes, do exactly this');
    await story.until('the refusal', async () => server.toasts.filter((text) => text.includes('settled'))[0]);
  });

  it('waits as long as the network says, and sends nothing twice', async () => {
    await setUp();
    story.work();
    await pair(ann);
    server.fail(429, 2, { parameters: { retry_after: 1 } });
    server.write(ann, 'Remember the milk');
    await seen('an answer', ({ text }) => text === 'You said: milk & <b>');
    await sleep(1000);
    expect(server.shown.filter(({ text }) => text.startsWith('You said'))).toHaveLength(1);
    const failed = (await story.eventsOf('delivery.ended')).filter(({ data }) => data.status === 'failed');
    expect(failed).toHaveLength(2);
    expect(server.conflicts()).toBe(0);
  });

  it('says that a message may have come before, where nobody knows, after a lost answer and after a kill', async () => {
    await setUp();
    const worker = story.start(['worker']);
    await pair(ann);
    server.loseNext(1);
    server.write(ann, 'Remember the milk');
    await seen(
      'the same again',
      ({ text }) => text.startsWith('You said: milk') && text.endsWith('(It may have come before.)'),
    );
    server.loseNext(1);
    server.write(ann, 'And now tea');
    await seen('an answer', ({ text }) => text === 'You said: tea & <b>');
    worker.kill('SIGKILL');
    await new Promise((resolve) => worker.once('exit', resolve));
    story.work();
    await seen(
      'the same again',
      ({ text }) => text.startsWith('You said: tea') && text.endsWith('(It may have come before.)'),
    );
    server.write(ann, 'And milk again');
    await story.until('an answer', async () =>
      server.shown.filter(({ text }) => text.startsWith('You said: milk')).length >= 3 ? true : undefined,
    );
    expect(server.shown.filter(({ text }) => text.includes('come before'))).toHaveLength(2);
  });
});
