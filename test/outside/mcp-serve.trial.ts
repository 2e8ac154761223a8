/** `oka mcp serve` as its own process, driven by the client that others use, and the conformance tests of the protocol. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launcher } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';
import { openWebClient, type WebClient } from '../support/web-client.ts';

let story: Story;
beforeAll(async () => {
  story = await openStory();
});
afterAll(() => story[Symbol.asyncDispose]());

type Answer = Record<string, unknown>;

async function call(client: Client, name: string, input: Record<string, unknown>): Promise<Answer> {
  return (await client.callTool({ name, arguments: input })).structuredContent as Answer;
}

describe('oka mcp serve', () => {
  it.each(['legacy', 'auto'] as const)('serves a real client over stdio (%s) and ends with it', async (mode) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [launcher, 'mcp', 'serve', '--dir', story.home.dir],
    });
    const client = new Client({ name: 'trial', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    const { pid } = transport;
    expect((await client.listTools()).tools).toHaveLength(5);
    const { run } = await call(client, 'oka_add_task', {
      text: 'Say hello\n\n```bash\necho hello\n```\n',
      title: 'Hello',
    });
    story.work();
    await story.ended(run as string);
    await story.rest();
    expect(await call(client, 'oka_result', { run })).toMatchObject({ status: 'done', title: 'Hello' });
    expect(await call(client, 'oka_search_memory', { query: 'hello' })).toMatchObject({ items: expect.any(Array) });
    await client.close();
    await story.until('the end of the server', async () => !isAlive(pid) || undefined);
  });

  it('ends when its client dies without a word', async () => {
    const child = spawn(process.execPath, [launcher, 'mcp', 'serve', '--dir', story.home.dir], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    child.stdin.end('{"broken\n');
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(0);
  });
});

/**
 * Most scenarios want tools, prompts and resources of a fixture server (`test_simple_text` and the like), which oka does
 * not have: these are the known failures. One that is not known, or that passes by now, fails the trial.
 */
describe('the conformance tests', () => {
  it.each([
    ['2025-11-25', ['--suite', 'active']],
    ['2026-07-28', ['--suite', 'all']],
  ])('of %s pass for /mcp but for what is known', async (version, suite) => {
    const web = await openWebClient({ home: story.home });
    const proxy = await openTokenProxy(web);
    const program = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
    const known = join(import.meta.dirname, 'conformance', `expected-failures-${version}.yml`);
    const options = ['--url', `${proxy.origin}/mcp`, '--spec-version', version, ...suite, '--expected-failures', known];
    const child = spawn(process.execPath, [program, 'server', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const printed = text(child.stdout);
    const [code] = (await once(child, 'exit')) as [number | null];
    proxy.close();
    await web.close();
    if (code !== 0) console.log((await printed).replace(/^[^]*=== SUMMARY/, '=== SUMMARY'));
    expect(code).toBe(0);
  });
});

/** The conformance tests send no token: a proxy in front of the server adds it. Host and Origin stay what they are. */
async function openTokenProxy(web: WebClient): Promise<{ origin: string; close: () => void }> {
  const authorization = `Bearer ${web.token('all')}`;
  const port = (): number => (server.address() as AddressInfo).port;
  const translated = (value: string | undefined): string | undefined =>
    value?.replace(`:${port()}`, `:${web.web.port}`);
  const server = createServer((given, answer) => {
    const headers = { ...given.headers, authorization, host: translated(given.headers.host) };
    const origin = translated(given.headers.origin);
    const sent = request(
      {
        host: '127.0.0.1',
        port: web.web.port,
        path: given.url,
        method: given.method,
        headers: origin === undefined ? headers : { ...headers, origin },
      },
      (received) => {
        answer.writeHead(received.statusCode ?? 500, received.headers);
        received.pipe(answer);
      },
    );
    given.pipe(sent).on('error', () => answer.destroy());
    answer.on('close', () => sent.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { origin: `http://127.0.0.1:${port()}`, close: () => void server.close() };
}

function isAlive(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}
