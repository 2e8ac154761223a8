/** Talking to oka through a homeserver of Matrix, with a real worker: gaps, answers that are lost, kills, and rooms of others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerOf } from '../../support/chat-story.ts';
import { okaWith } from '../../support/cli.ts';
import { ANN, MATRIX_TOKEN, type MatrixServer, ME, openMatrixServer } from '../../support/matrix-server.ts';
import { openStory, type Story } from '../../support/story.ts';

const ROOM = '!direct:home.test';
let server: MatrixServer;
let story: Story;

const bodies = (room = ROOM): string[] => server.shown(room).map(({ body }) => String(body));
const seen = (what: string, text: string): Promise<true> =>
  story.until(what, async () => (bodies().some((body) => body.includes(text)) ? true : undefined));

beforeEach(async () => {
  server = await openMatrixServer();
  story = await openStory({
    model: (request) =>
      answerOf(({ request: { text } }) => `You said ${text.match(/number \d+/g)?.at(-1) ?? 'nothing'}`, request),
  });
  const words = ['secrets', 'set', 'MATRIX', '--tool', 'channels.room', '--host', server.host];
  expect(await okaWith({ input: `${MATRIX_TOKEN}\n` }, ...words, '--dir', story.home.dir)).toMatchObject({ code: 0 });
  const room = { kind: 'matrix', server: server.url, token: 'secret:MATRIX' };
  story.write('.oka/rules/channels.json', JSON.stringify({ announce: ['needs_you', 'done'], channels: { room } }));
});
afterEach(async () => {
  await story[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function pair(): Promise<void> {
  server.invite(ROOM, true);
  await story.until('that oka joins', async () => (server.members(ROOM).includes(ME) ? true : undefined));
  const { code } = JSON.parse((await story.oka('channels', 'pair', 'room', '--json')).out) as { code: string };
  server.write(ROOM, ANN, code);
  await seen('the welcome', 'I listen to you');
}

describe('Matrix', () => {
  it('hears what came while it was away, in order, over a gap, once, also when it is killed and answers are lost', async () => {
    const worker = story.start(['worker']);
    await pair();
    worker.kill('SIGKILL');
    await new Promise((resolve) => worker.once('exit', resolve));
    for (let number = 1; number <= 7; number += 1) server.write(ROOM, ANN, `number ${number}`);
    server.limitNext(2);
    server.loseNext(1);
    const next = story.start(['worker']);
    await story.until('three messages', async () =>
      (await story.eventsOf('message.posted')).length >= 3 ? true : undefined,
    );
    next.kill('SIGKILL');
    await new Promise((resolve) => next.once('exit', resolve));
    story.work();
    await seen('the last answer', 'You said number 7');
    await sleep(1500);
    const said = (await story.eventsOf('message.posted')).filter(({ data }) => data.kind === 'person');
    expect(said.map(({ data }) => data.content)).toEqual(
      Array.from({ length: 7 }, (_, index) => `number ${index + 1}`),
    );
    const answers = (await story.eventsOf('message.posted')).filter(({ data }) => data.kind === 'agent');
    expect(server.sent(ROOM).filter(({ content }) => String(content['body']).startsWith('You said'))).toHaveLength(
      answers.length,
    );
  });

  it('joins no group, reads no encrypted room, and takes a question’s answer from a reply to it', async () => {
    story.work();
    await pair();
    server.invite('!gone:home.test', true); // stays, and cannot be followed
    server.invite('!group:home.test', false, [ANN, '@bob:home.test']);
    server.write(ROOM, ANN, { algorithm: 'm.megolm.v1.aes-sha2', ciphertext: 'x' }, 'm.room.encrypted');
    await seen('that it cannot be read', 'is encrypted');
    expect(server.members('!group:home.test')).not.toContain(ME);
    story.drop('push.md', 'Push it.\n\n```bash\ngit push https://git.example/repo main\n```\n');
    await seen('the question', 'Reply to this message with one of: Approve, Deny');
    const asked = server.shown(ROOM).find(({ body }) => String(body).includes('Reply to this message'));
    server.write(ROOM, ANN, 'deny');
    await sleep(1500);
    expect(await story.eventsOf('wait.closed')).toEqual([]);
    const relation = { 'm.in_reply_to': { event_id: asked?.['event_id'] } };
    server.write(ROOM, ANN, { msgtype: 'm.text', body: 'Deny', 'm.relates_to': relation });
    const closed = await story.until('the answer', async () => (await story.eventsOf('wait.closed'))[0]);
    expect(closed.data.answer).toMatchObject({ verdict: 'denied', through: 'room', by: ANN });
    await seen('that it is settled', 'Denied at');
  });

  it('takes a file with the next words as a task, and waits as long as the server says', async () => {
    story.work();
    await pair();
    const url = server.upload('one\ntwo\n');
    server.fail(429, 1, { errcode: 'M_LIMIT_EXCEEDED', error: 'slow down', retry_after_ms: 500 });
    const words = '/task Count.\n\n```bash\nwc -l < notes.txt > count.txt\n```\n';
    server.write(ROOM, ANN, { msgtype: 'm.file', body: words, filename: 'notes.txt', url, info: { size: 8 } });
    await story.until('the file', async () => server.shown(ROOM).find(({ filename }) => filename === 'count.txt'));
    const events = JSON.stringify(await story.events());
    expect(events).not.toContain(MATRIX_TOKEN);
  });
});
