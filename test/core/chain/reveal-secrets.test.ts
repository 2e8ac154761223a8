import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Author } from '../../../src/core/schema/tool.ts';
import type { Credential } from '../../../src/core/schema/ports.ts';
import { createReveal } from '../../../src/core/chain/reveal-secrets.ts';
import { callOf } from '../../support/engine-fakes.ts';

const held: Record<string, Credential> = {
  TOKEN: {
    value: 'hunter2',
    version: 3,
    tools: ['http.get', 'http.request', 'shell', 'mcp.send'],
    hosts: ['api.example.org', 'localhost:8080'],
    commands: ['gh', 'git push'],
    fingerprint: 'f00d',
  },
  LONELY: { value: 'nobody-may', version: 1, tools: [], hosts: [], commands: [], fingerprint: 'beef' },
  OTHER: {
    value: 'elsewhere',
    version: 1,
    tools: ['shell'],
    hosts: ['other.example'],
    commands: [],
    fingerprint: 'cafe',
  },
};

type Revealed = { input: Json; events: NewEvent[]; onlyHosts: readonly string[] | undefined } | { error: string };

async function revealed(tool: string, input: Json, author: Author = 'operator'): Promise<Revealed> {
  const events: NewEvent[] = [];
  const reveal = createReveal({
    find: async (name) => held[name] ?? null,
    record: async (uses) => void events.push(...uses),
  });
  const given = await reveal(callOf({ tool, input, author }));
  if ('status' in given) {
    expect(events).toEqual([]);
    return { error: given.error };
  }
  return { input: given.input, events, onlyHosts: given.onlyHosts };
}

const get = (url: string, headers: Record<string, string>): Promise<unknown> => revealed('http.get', { url, headers });

describe('R1 a secret goes only where a person said', () => {
  it('to the tools that are named for it', async () => {
    expect(await revealed('mcp.send', { key: 'secret:TOKEN' })).toMatchObject({ input: { key: 'hunter2' } });
    expect(await revealed('files.write', { path: 'a', content: 'secret:TOKEN' })).toMatchObject({
      error: expect.stringContaining('may not be given to files.write, only to http.get'),
    });
    expect(await revealed('mcp.send', { key: 'secret:LONELY' })).toMatchObject({
      error: expect.stringContaining('no tool'),
    });
  });

  it.each([
    'https://evil.example/',
    'https://api.example.org.evil.example/',
    'https://evil.example/?https://api.example.org',
    'https://api.example.org@evil.example/',
    'https://apiXexample.org/',
    'https://localhost/',
    'nonsense',
  ])('to the hosts that are named for it, so not to %s', async (url) => {
    expect(await get(url, { authorization: 'Bearer secret:TOKEN' })).toMatchObject({
      error: expect.stringContaining('may not be sent to'),
    });
  });

  it.each([
    'https://api.example.org/x',
    'https://API.example.org./',
    'http://localhost:8080/',
    'https://api.example.org:8443/',
  ])('and to those, however they are written: %s', async (url) => {
    expect(await get(url, { authorization: 'Bearer secret:TOKEN' })).toMatchObject({
      input: { headers: { authorization: 'Bearer hunter2' } },
    });
  });

  it('a name that is not known is said', async () => {
    expect(await get('https://api.example.org/', { authorization: 'secret:NOTHING' })).toMatchObject({
      error: expect.stringContaining('there is no secret "NOTHING"'),
    });
  });
});

describe('R2 of a request only headers carry one', () => {
  it('never the address or the body', async () => {
    expect(
      await revealed('http.request', { method: 'GET', url: 'https://api.example.org/?k=secret:TOKEN', headers: {} }),
    ).toMatchObject({
      error: expect.stringContaining('not in its url'),
    });
    expect(
      await revealed('http.request', {
        method: 'POST',
        url: 'https://api.example.org/',
        headers: {},
        body: '{"k":"secret:TOKEN"}',
      }),
    ).toMatchObject({ error: expect.stringContaining('not in its body') });
  });

  it('nor a header that is also sent to other hosts', async () => {
    for (const name of ['user-agent', 'Accept', 'If-Match'])
      expect(await get('https://api.example.org/', { [name]: 'secret:TOKEN' })).toMatchObject({
        error: expect.stringContaining('is also sent'),
      });
  });

  it('nor a connection that others can read', async () => {
    expect(await get('http://api.example.org/', { authorization: 'Bearer secret:TOKEN' })).toMatchObject({
      error: expect.stringContaining('Use https'),
    });
  });

  it('a user and a password are put together as the header needs them', async () => {
    expect(await get('https://api.example.org/', { authorization: 'Basic alice:secret:TOKEN' })).toMatchObject({
      input: { headers: { authorization: `Basic ${Buffer.from('alice:hunter2').toString('base64')}` } },
    });
  });
});

describe('R3 a command', () => {
  it('gets one through its own field, never as an argument', async () => {
    expect(
      await revealed('shell', {
        argv: ['deploy'],
        secrets: { KEY: 'secret:TOKEN', E: { from: 'secret:TOKEN', as: 'env' } },
      }),
    ).toMatchObject({
      input: { argv: ['deploy'], secrets: { KEY: 'hunter2', E: { from: 'hunter2', as: 'env' } } },
    });
    expect(await revealed('shell', { argv: ['deploy', 'secret:TOKEN'] })).toMatchObject({
      error: expect.stringContaining('through its field "secrets", not through argv'),
    });
  });

  it('may speak of secrets', async () => {
    expect(await revealed('shell', { line: 'echo secret:TOKEN is a name' })).toMatchObject({ events: [] });
    expect(await revealed('shell', { argv: ['echo', 'secret:unknown'] })).toMatchObject({ events: [] });
  });
});

describe('R4 every use', () => {
  it('is told by name, version, tool, host and fingerprint, never by value', async () => {
    const seen = await get('https://api.example.org/', {
      authorization: 'Bearer secret:TOKEN',
      'x-again': 'secret:TOKEN',
    });
    expect(seen).toMatchObject({
      events: [
        {
          type: 'secret.used',
          data: { name: 'TOKEN', version: 3, tool: 'http.get', host: 'api.example.org', fingerprint: 'f00d' },
        },
      ],
    });
    expect(JSON.stringify((seen as { events: NewEvent[] }).events)).not.toContain('hunter2');
  });

  it('is durable before the tool runs: what cannot be written down is not revealed', async () => {
    const reveal = createReveal({
      find: async (name) => held[name] ?? null,
      record: () => Promise.reject(new Error('disk full')),
    });
    const call = callOf({ tool: 'mcp.send', input: { key: 'secret:TOKEN' } });
    await expect(reveal(call)).rejects.toThrow('disk full');
  });
});

describe('R5 a command that a model wrote gets a secret only if a person has named the command', () => {
  const secrets = { TOKEN: 'secret:TOKEN' };
  const model = (input: { [key: string]: Json }): Promise<unknown> => revealed('shell', { ...input, secrets }, 'model');

  it.each<{ [key: string]: Json }>([
    { argv: ['gh', 'issue', 'list'] },
    { argv: ['git', 'push', 'origin', 'main; rm -rf x'] },
    { line: 'gh issue list --limit 5' },
    { line: 'git push origin main' },
  ])('%o has it, and reaches the hosts of the secret only', async (input) => {
    expect(await model(input)).toMatchObject({
      input: { secrets: { TOKEN: 'hunter2' } },
      onlyHosts: ['api.example.org', 'localhost:8080'],
    });
  });

  it.each<{ [key: string]: Json }>([
    { argv: ['node', '-e', 'steal()'] },
    { argv: ['./gh', 'issue', 'list'] },
    { argv: ['git', 'pull'] },
    { argv: ['git', '-c', 'core.pager=evil', 'push'] },
    { line: 'gh issue list; node evil.js' },
    { line: 'gh issue list | sh' },
    { line: 'gh $(cat evil)' },
    { line: 'X=1 gh issue list' },
    { line: 'gh issue list\nnode evil.js' },
    { line: 'ghx' },
  ])('%o does not', async (input) => {
    expect(await model(input)).toMatchObject({ error: expect.stringMatching(/may not be given|plain command only/) });
    expect(await revealed('shell', { ...input, secrets })).toMatchObject({ input: { secrets: { TOKEN: 'hunter2' } } });
  });

  it('two secrets together reach only the hosts that both belong to', async () => {
    const both = { A: 'secret:TOKEN', B: 'secret:OTHER' };
    expect(await revealed('shell', { line: 'deploy', secrets: both })).toMatchObject({ onlyHosts: [] });
    expect(await revealed('shell', { argv: ['gh'], secrets: both }, 'model')).toMatchObject({
      error: expect.stringContaining('OTHER is for no command of a model'),
    });
  });
});
