import { get, type IncomingMessage } from 'node:http';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ledger } from '../../../src/core/ledger/ledger.ts';
import { addEventStream } from '../../../src/kit/web/live/event-stream.ts';
import { openLedgerTail } from '../../../src/kit/web/live/ledger-tail.ts';
import { noteOf, openPlain } from '../../support/ledger-samples.ts';
import { openWebClient, type WebClient } from '../../support/web-client.ts';

let client: WebClient;
let ledger: Ledger;
beforeAll(async () => {
  client = await openWebClient();
  ledger = await openPlain(client.home.ledgers.run);
});
afterAll(async () => {
  await ledger.close();
  await client.close();
});

type Message = { event: string; id: string | null; data: unknown };

/** Reads the stream until enough has come, or it ends. */
async function readStream(headers: Record<string, string>, isEnough: (read: Message[]) => boolean): Promise<Message[]> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(
      {
        host: '127.0.0.1',
        port: client.web.port,
        path: '/api/v1/events',
        headers: { ...client.session, ...headers },
        agent: false,
      },
      resolve,
    ).on('error', reject);
  });
  const read: Message[] = [];
  let rest = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    read.push(...blocks.map(messageOf));
    if (isEnough(read)) break;
  }
  response.destroy();
  return read;
}

function messageOf(block: string): Message {
  const field = (name: string): string | null =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  return { event: field('event') ?? '', id: field('id'), data: JSON.parse(field('data') ?? 'null') as unknown };
}

const seqsIn = (read: readonly Message[]): number[] =>
  read
    .filter(({ event }) => event === 'events')
    .flatMap(({ data }) => (data as { seq: number }[]).map(({ seq }) => seq));

const addNotes = (count: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, n) => ledger.append([noteOf(`note ${n}`)])));

it('a reader gets every event once, in order, and goes on exactly where it was when it comes back', async () => {
  await addNotes(5);
  const reading = readStream({}, (read) => seqsIn(read).length >= 20);
  await new Promise((done) => setTimeout(done, 200));
  await addNotes(20);
  const first = await reading;
  expect(first[0]).toMatchObject({ event: 'ready', id: 'r5m0' });
  const seen = seqsIn(first);
  await addNotes(30);
  const later = await readStream(
    { 'last-event-id': first.at(-1)?.id ?? '' },
    (read) => seqsIn(read).length >= 55 - (seen.at(-1) ?? 0),
  );
  expect([...seen, ...seqsIn(later)]).toEqual(Array.from({ length: 50 }, (_, n) => n + 6));
});

it('one that was away for too long, or comes from a longer ledger, is told to start over', async () => {
  const [first] = await readStream({ 'last-event-id': 'r999999m0' }, (read) => read.length > 0);
  expect(first).toMatchObject({ event: 'reset', id: 'r55m0' });
  const [broken] = await readStream({ 'last-event-id': "r1m1'; drop" }, (read) => read.length > 0);
  expect(broken).toMatchObject({ event: 'ready', id: 'r55m0' });
});

it('no more than fifty follow at once; whoever leaves makes room', async () => {
  const followers = await Promise.all(
    Array.from(
      { length: 60 },
      () =>
        new Promise<IncomingMessage>((resolve, reject) => {
          get(
            {
              host: '127.0.0.1',
              port: client.web.port,
              path: '/api/v1/events',
              headers: { ...client.session },
              agent: false,
            },
            resolve,
          ).on('error', reject);
        }),
    ),
  );
  expect(followers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(50);
  expect(followers.filter(({ statusCode }) => statusCode === 503)).toHaveLength(10);
  for (const follower of followers) follower.destroy();
  await new Promise((done) => setTimeout(done, 300));
  expect(await readStream({}, (read) => read.length > 0)).toHaveLength(1);
});

it('a reader whose request arrives while the dashboard ends gets a stream that is over', async () => {
  const app = new Hono();
  const tail = openLedgerTail(client.home);
  addEventStream(app, client.home, tail, AbortSignal.abort());
  const response = await app.request('/api/v1/events');
  expect(await response.text()).toBe('');
  tail.close();
});
