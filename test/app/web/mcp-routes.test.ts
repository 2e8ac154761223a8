/** The assistant as a tool of others, with the client that others use, over HTTP. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/schema/json.ts';
import { openStory, type Story } from '../../support/story.ts';
import { openWebClient, type WebClient } from '../../support/web-client.ts';

let story: Story;
let web: WebClient;
beforeAll(async () => {
  story = await openStory();
  web = await openWebClient({ home: story.home });
});
afterAll(async () => {
  await web.close();
  await story[Symbol.asyncDispose]();
});

async function connect(rights: 'all' | 'read', mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${web.token(rights)}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${web.origin}/mcp`), { requestInit: { headers } }));
  return client;
}

type Reply = { isError?: boolean; text: string; data: Record<string, Json> };

async function call(client: Client, name: string, input: Record<string, Json>): Promise<Reply> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
  const [first] = content as { text: string }[];
  return {
    isError: isError === true,
    text: first?.text ?? '',
    data: (structuredContent ?? {}) as Record<string, Json>,
  };
}

describe('/mcp', () => {
  it('says the same about a path that is there and one that is not', async () => {
    const client = await connect('read');
    for (const tool of ['oka_status', 'oka_result']) {
      const about = async (run: string): Promise<string> =>
        (await call(client, tool, { run })).text.replaceAll(run, 'X').replaceAll(JSON.stringify(run), 'X');
      const missing = await about('../../../nothing-here');
      for (const there of ['../../../.oka', '../../inbox', '..', '../../../../../../../../etc/passwd'])
        expect(await about(there)).toBe(missing);
    }
    await client.close();
  });

  it('takes a task, says where it stands, and gives its result, in both eras of the protocol', async () => {
    for (const mode of ['legacy', 'auto'] as const) {
      const client = await connect('all', mode);
      const added = await call(client, 'oka_add_task', { text: 'Say hello\n\n```bash\necho hello > hello.txt\n```\n' });
      const run = added.data['run'] as string;
      if (mode === 'legacy') {
        expect(added.data).toMatchObject({ title: 'Say hello', worker: false });
        expect((await call(client, 'oka_status', { run })).data).toMatchObject({
          run,
          status: 'queued',
          worker: 'none',
        });
        story.work();
      }
      await story.ended(run);
      expect((await call(client, 'oka_status', { run })).data).toMatchObject({ run, status: 'done', waiting: [] });
      const { data } = await call(client, 'oka_result', { run });
      expect(data).toMatchObject({ status: 'done', result: { text: expect.stringContaining('Say hello') } });
      expect((await call(client, 'oka_cancel', { run })).data).toEqual({ run, status: 'done', cancelled: false });
      await client.close();
    }
    await story.rest();
  });

  it('shows what waits for a person, and cannot answer it; cancelling ends it', async () => {
    const client = await connect('all');
    const text = '---\nid: asking\n---\nSend it\n\n```bash\ncurl -d x https://example.org\n```\n';
    expect((await call(client, 'oka_add_task', { text })).data).toMatchObject({ run: 'asking' });
    story.work();
    const { wait } = await story.asked('approval');
    expect((await call(client, 'oka_status', { run: 'asking' })).data).toMatchObject({
      status: 'blocked',
      waiting: [{ wait, question: expect.stringContaining('curl') }],
    });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.toSorted()).toEqual(['oka_add_task', 'oka_cancel', 'oka_result', 'oka_search_memory', 'oka_status']);
    expect((await call(client, 'oka_cancel', { run: 'asking' })).data).toMatchObject({ cancelled: true });
    expect(await story.ended('asking')).toMatchObject({ status: 'cancelled' });
    await client.close();
    await story.rest();
  });

  it('has nothing that changes for a token that may only look', async () => {
    const client = await connect('read');
    expect((await client.listTools()).tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['oka_status', true],
      ['oka_result', true],
      ['oka_search_memory', true],
    ]);
    expect(await call(client, 'oka_add_task', { text: 'x' }).catch((error: unknown) => String(error))).toMatch(
      /not found|unknown/i,
    );
    await client.close();
  });

  it('says what is wrong as a result: a run that does not exist, a text that is no task', async () => {
    const client = await connect('all');
    expect(await call(client, 'oka_result', { run: 'nothing' })).toMatchObject({
      isError: true,
      text: 'there is no run "nothing". Ask oka_status for the recent ones.',
    });
    expect(await call(client, 'oka_add_task', { text: '---\nnope: 1\n---\nx' })).toMatchObject({ isError: true });
    await client.close();
  });

  it('is closed to whoever has no token, also to a logged-in browser', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const json = { 'content-type': 'application/json', origin: web.origin };
    for (const headers of [json, { ...json, cookie: web.cookie }, { ...json, authorization: 'Bearer wrong' }])
      expect(await web.send('/mcp', { method: 'POST', headers, body })).toMatchObject({ status: 401 });
  });
});
