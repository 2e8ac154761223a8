import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, openWebClient, type WebClient } from '../../support/web-client.ts';

describe('POST /api/v1/tasks', () => {
  let client: WebClient;
  beforeAll(async () => void (client = await openWebClient()));
  afterAll(() => client.close());

  const sendBytes = (head: object | string, ...contents: string[]): Promise<Answer> =>
    client.send('/api/v1/tasks', {
      method: 'POST',
      headers: { ...client.session, origin: client.origin, 'content-type': 'application/octet-stream' },
      body: Buffer.from(`${typeof head === 'string' ? head : JSON.stringify(head)}\n${contents.join('')}`),
    });
  const delivered = (): string[] => {
    const folder = join(client.home.workspace, 'inbox', '.new');
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.split('/').slice(1).join('/'));
  };

  it('takes a sentence as JSON, and files as bytes behind the line that lists them', async () => {
    const words = await client.post('/api/v1/tasks', { text: 'Say hello', every: 'daily at 7', timezone: 'UTC' });
    expect([words.status, JSON.parse(words.text)]).toMatchObject([
      201,
      { tasks: [{ name: 'say-hello.md', title: 'Say hello', next: { length: 3 } }] },
    ]);
    const files = [
      { path: 'a.txt', size: 2 },
      { path: 'in/b.txt', size: 3 },
    ];
    const { status, text } = await sendBytes({ text: 'Read them', files }, 'aa', 'bbb');
    expect([status, JSON.parse(text)]).toMatchObject([201, { tasks: [{ name: 'read-them' }] }]);
    expect(delivered()).toEqual(expect.arrayContaining(['say-hello.md', 'read-them/a.txt', 'read-them/in/b.txt']));
  });

  it.each<[string, object | string, string, string]>([
    ['a body without its first line', 'x', '', 'not JSON'],
    ['more bytes than were announced', { text: 'x', files: [{ path: 'a', size: 1 }] }, 'aa', 'not as long'],
    ['fewer bytes than were announced', { text: 'x', files: [{ path: 'a', size: 9 }] }, 'aa', 'not as long'],
    ['a path that leads out', { text: 'x', files: [{ path: '../a', size: 1 }] }, 'a', 'lead out of its folder'],
    ['a field that is not known', { text: 'x', files: [], model: 'y' }, '', 'model'],
  ])('refuses %s', async (_, head, content, reason) => {
    const before = delivered().length;
    const { status, text } = await sendBytes(head, content);
    expect([status, text]).toEqual([400, expect.stringContaining(reason)]);
    expect(delivered()).toHaveLength(before);
  });

  it('refuses whoever may only read, and whoever is not logged in', async () => {
    const body = JSON.stringify({ text: 'Do it' });
    const type = { 'content-type': 'application/json' };
    const reading = { ...type, authorization: `Bearer ${client.token('read')}` };
    const before = delivered().length;
    expect((await client.send('/api/v1/tasks', { method: 'POST', headers: reading, body })).status).toBe(403);
    const unknown = { ...type, origin: client.origin };
    expect((await client.send('/api/v1/tasks', { method: 'POST', headers: unknown, body })).status).toBe(401);
    expect((await client.send('/api/v1/model', { method: 'POST', headers: reading, body })).status).toBe(403);
    expect(delivered()).toHaveLength(before);
  });
});
