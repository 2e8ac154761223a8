import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/core/schema/ports.ts';
import { inOrder, openWireServer, type WireServer } from '../../support/wire-server.ts';
import { call, cut, fail, say } from '../../support/wire-server-reply.ts';
import { ask, failureOf, folder, modelAt, PROVIDERS, readTool, turn, WAYS } from './support.ts';

const cases = PROVIDERS.flatMap((provider) => WAYS.map((way) => [provider, way] as const));

const recorder = (server: WireServer, name: string, at: string): Model =>
  modelAt(server.url, name, { environment: { OKA_CASSETTE: 'record' }, folder: at });
/** Without keys, and at an address where nobody listens. */
const player = (name: string, at: string): Model =>
  modelAt('http://127.0.0.1:9', name, {
    environment: { OKA_CASSETTE: 'replay', OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', OKA_MODEL_KEY: '' },
    folder: at,
  });

describe('cassettes', () => {
  it.each(cases)('%s, %s: what was recorded is played with the server gone', async (provider, way) => {
    const at = folder();
    const name = `${provider}:gpt-4.1`;
    const server = await openWireServer(inOrder(call('files_read', { path: 'a.txt' }), say('Über drei Äpfel')));
    const requests = [ask('read', { tools: [readTool] }), ask('tell')];
    const record = recorder(server, name, at);
    const recorded = [await turn(record, way, requests[0]!), await turn(record, way, requests[1]!)];
    await server.close();
    const play = player(name, at);
    const played = [await turn(play, way, requests[0]!), await turn(play, way, requests[1]!)];
    const timeless = (answers: typeof played) => answers.map((each) => ({ ...each, usage: { ...each.usage, ms: 0 } }));
    expect(timeless(played)).toEqual(timeless(recorded));
    expect(server.requests).toHaveLength(2);
  });

  it('a request that was not recorded is an error, and nothing is sent', async () => {
    const at = folder();
    const failure = await failureOf(turn(player('openai:m', at), 'whole', ask('never asked')));
    expect(failure.problem).toMatchObject({ kind: 'no-recording', temporary: false });
    expect(failure.message).toContain(join(at, 'cassettes'));
    expect(failure.fix).toContain('OKA_CASSETTE=record');
  });

  it('the takes of a repeated request are played in their order, failures included', async () => {
    const at = folder();
    await using server = await openWireServer(
      inOrder(fail(429, { headers: { 'retry-after': '4' } }), say('first'), say('second')),
    );
    const record = recorder(server, 'openai:m', at);
    await failureOf(turn(record, 'whole', ask('again')));
    await turn(record, 'whole', ask('again'));
    await turn(record, 'whole', ask('again'));
    const play = player('openai:m', at);
    expect((await failureOf(turn(play, 'whole', ask('again')))).problem.retryAfterMs).toBe(4000);
    const texts = [];
    for (let count = 0; count < 3; count += 1) texts.push((await turn(play, 'whole', ask('again'))).text);
    expect(texts).toEqual(['first', 'second', 'second']);
  });

  it('recording again replaces earlier takes', async () => {
    const at = folder();
    await using server = await openWireServer(inOrder(say('old'), say('new')));
    await turn(recorder(server, 'openai:m', at), 'whole', ask('x'));
    await turn(recorder(server, 'openai:m', at), 'whole', ask('x'));
    expect((await turn(player('openai:m', at), 'whole', ask('x'))).text).toBe('new');
  });

  it('no key and no secret of a request or an answer is on disk', async () => {
    const at = folder();
    const secret = `sk-${'a1B2'.repeat(8)}`;
    await using server = await openWireServer(() => say(`your token is ${secret}`));
    await turn(recorder(server, 'anthropic:m', at), 'whole', ask(`mine is ${secret}`));
    const files = readdirSync(join(at, 'cassettes'));
    expect(files).toHaveLength(1);
    const file = join(at, 'cassettes', files[0]!);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(secret);
    expect(text).not.toContain('anthropic-key-of-a-test');
    expect(text).toContain('[redacted:api-key]');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await turn(player('anthropic:m', at), 'whole', ask(`mine is ${secret}`))).text).toContain('[redacted');
  });

  it('an answer that broke off is not saved', async () => {
    const at = folder();
    await using server = await openWireServer(() => cut('this is the start of an answer'));
    await failureOf(turn(recorder(server, 'openai:m', at), 'streamed', ask('x')));
    expect((await failureOf(turn(player('openai:m', at), 'streamed', ask('x')))).problem.kind).toBe('no-recording');
  });

  it('a damaged recording is reported with its file, and what is no file is not opened', async () => {
    const at = folder();
    await using server = await openWireServer(() => say('fine'));
    await turn(recorder(server, 'openai:m', at), 'whole', ask('x'));
    const file = join(at, 'cassettes', readdirSync(join(at, 'cassettes'))[0]!);
    writeFileSync(file, '{"path": "/x"');
    const failure = await failureOf(turn(player('openai:m', at), 'whole', ask('x')));
    expect(failure.message).toContain(`${file} is not a recording`);
    expect(failure.fix).toContain('Delete it');
    const other = join(at, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'cassettes'), 'a file where the folder belongs');
    await expect(turn(player('openai:m', other), 'whole', ask('x'))).rejects.toThrow(/cassettes/);
  });
});
