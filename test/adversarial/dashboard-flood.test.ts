/** A flood at the door of the dashboard: it stays up, it answers afterwards, and the worker does not notice. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWebClient, type WebClient } from '../support/web-client.ts';
import { openStory, type Story } from '../support/story.ts';

let story: Story;
let client: WebClient;
const sockets = new Set<Socket>();

beforeAll(async () => {
  story = await openStory();
  story.start(['worker']);
  client = await openWebClient({ home: story.home });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await client.close();
  await story[Symbol.asyncDispose]();
});

/** A connection that sends something and stays. */
function stay(text: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(client.web.port, '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => resolve(socket)).on('close', () => sockets.delete(socket));
    socket.on('connect', () => {
      socket.write(text);
      resolve(socket);
    });
  });
}

async function closeAll(): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await sleep(300);
}

/** The worker does a task meanwhile, and the dashboard answers afterwards. */
async function bothWork(name: string): Promise<void> {
  story.drop(`${name}.md`, ['```bash', `echo ${name} > ${name}.txt`, '```', ''].join('\n'));
  await story.until(`the task ${name}`, async () => (story.deskText(`${name}.txt`) === null ? undefined : true));
  await closeAll();
  // Until it has noticed that they are closed, there may be no place for another connection.
  const status = (): Promise<unknown> => client.get('/login').then((answer) => answer.status, String);
  await expect.poll(status, { timeout: 60_000 }).toBe(200);
}

const head = (path: string, method = 'GET'): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${client.web.port}\r\nCookie: ${client.cookie}\r\nX-Oka-Key: ${client.session['x-oka-key']}\r\nOrigin: ${client.origin}\r\nContent-Type: application/json\r\n`;

it('1,000 connections that say nothing', async () => {
  await Promise.all(Array.from({ length: 1000 }, () => stay('')));
  await bothWork('silent');
});

it('1,000 connections that begin a request and never end it', async () => {
  await Promise.all(Array.from({ length: 1000 }, () => stay('GET / HTTP/1.1\r\nHost: ')));
  await bothWork('unfinished');
});

it('300 bodies that are promised and come byte by byte', async () => {
  const slow = await Promise.all(
    Array.from({ length: 300 }, () => stay(`${head('/api/v1/intakes', 'POST')}Content-Length: 1000000\r\n\r\n{`)),
  );
  for (let round = 0; round < 5; round += 1) {
    for (const socket of slow) if (!socket.destroyed) socket.write(' ');
    await sleep(50);
  }
  await bothWork('slow');
});

it('300 readers of the stream that read nothing, while much happens', async () => {
  const readers = await Promise.all(Array.from({ length: 300 }, () => stay(`${head('/api/v1/events')}\r\n`)));
  for (const reader of readers) reader.pause();
  await bothWork('deaf');
});

it('5,000 logins with wrong secrets', async () => {
  const body = JSON.stringify({ passphrase: 'a guess' });
  const statuses = new Map<number, number>();
  for (let round = 0; round < 50; round += 1)
    for (const { status } of await Promise.all(
      Array.from({ length: 100 }, () =>
        client.send('/api/v1/login', {
          method: 'POST',
          headers: { origin: client.origin, 'content-type': 'application/json' },
          body,
        }),
      ),
    ))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
  expect(new Set(statuses.keys())).toEqual(new Set([401, 429]));
  expect(statuses.get(401)).toBeLessThan(300);
  await bothWork('guessing');
});
