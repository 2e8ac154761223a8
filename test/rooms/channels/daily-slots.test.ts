import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { reachingStories } from '../../support/reaching.ts';

const MINUTE = 60_000;
const { tell, closeStories } = reachingStories();
afterEach(closeStories);

it('the heartbeat asks its address as often as it is set, without any channel, and stops with the worker', async () => {
  const asked: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status, { connection: 'close' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping`;
  const story = tell({ heartbeat: { url, every_minutes: 60 } });

  await story.pass(30 * MINUTE, MINUTE);
  await expect.poll(() => asked).toEqual(['GET /ping']);
  status = 500;
  await story.pass(60 * MINUTE, MINUTE);
  await expect.poll(() => asked.length).toBe(2);
  await expect.poll(() => story.log).toEqual([`heartbeat: ${url} answered with 500`]);
  await story.close();
  await story.pass(120 * MINUTE, MINUTE);
  expect(asked).toHaveLength(2);
});
