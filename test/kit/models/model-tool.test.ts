import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelsFrom } from '../../../src/kit/models/role-models.ts';
import { modelTool, type ModelToolPorts } from '../../../src/kit/models/model-tool.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { LiveSteps } from '../../../src/core/schema/live-port.ts';
import type { Outcome, Tool } from '../../../src/core/schema/tool.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { callOf, dataOf, engineWith, fakeTime, graphOf } from '../../support/engine-fakes.ts';
import { inOrder, openWireServer } from '../../support/wire-server.ts';
import { call, calls, fail, say, stall } from '../../support/wire-server-reply.ts';
import { environmentAt, folder, readTool, settings } from './support.ts';

const NAME = 'openai:gpt-4.1';

function toolAt(url: string, ports: ModelToolPorts = {}, name = NAME, config: unknown = {}): Tool {
  const environment = { ...environmentAt(url), OKA_MODEL: name };
  return modelTool(modelsFrom(settings({ environment, config })), ports);
}

const question = (more: Record<string, Json> = {}): Json => ({
  role: 'executor',
  system: 'You act.',
  messages: [{ role: 'user', text: 'hi' }],
  ...more,
});

/** Holds an ok outcome against the tool's own output schema. */
async function use(tool: Tool, input: Json, signal = new AbortController().signal): Promise<Outcome> {
  const outcome = await tool.invoke(input, callOf({ tool: tool.name, input, signal }));
  if (outcome.status === 'ok') expect(tool.output.parse(outcome.output)).toEqual(outcome.output);
  return outcome;
}

const outputOf = (outcome: Outcome): Json => (outcome.status === 'ok' ? outcome.output : null);
const errorIn = (outcome: Outcome): string => ('error' in outcome ? outcome.error : `no error: ${outcome.status}`);

const watching = (): LiveSteps => ({
  output: () => undefined,
  answer: () => undefined,
  end: () => undefined,
  isWatched: () => true,
});

describe('model.complete', () => {
  it('gives the turn, who answered, the hash of the request and what it cost', async () => {
    await using server = await openWireServer(() => call('files_read', { path: 'a' }, { usage: { in: 100, out: 10 } }));
    const tool = toolAt(server.url);
    const input = question({ tools: [{ ...readTool }] });
    const outcome = await use(tool, input);
    expect(outcome).toMatchObject({
      status: 'ok',
      output: { text: '', call: { name: 'files.read', input: { path: 'a' } }, model: NAME },
      usage: { tokens_in: 100, tokens_out: 10, usd: (100 * 2 + 10 * 8) / 1e6 },
    });
    const again = await use(tool, input);
    expect(outputOf(again)).toEqual(outputOf(outcome));
    expect(tool.classOf(input)).toBe('read');
  });

  it('the hash is that of the words, and of whom they were put to', async () => {
    await using server = await openWireServer(() => say('ok'));
    const tool = toolAt(server.url);
    const hash = async (more: Record<string, Json>) =>
      (outputOf(await use(tool, question(more))) as { request: string }).request;
    const hashes = [
      await hash({}),
      await hash({ model: NAME }),
      await hash({ model: 'ollama:m' }),
      await hash({ max_tokens: 5 }),
    ];
    expect(new Set(hashes).size).toBe(3);
    expect(hashes[0]).toBe(hashes[1]);
  });

  it('in a strict run every answer is sampled at temperature 0 and with a seed', async () => {
    await using server = await openWireServer(() => say('ok'));
    const tool = toolAt(server.url, {}, NAME, { temperature: 0.9, top_p: 0.3 });
    const input = question({ sampling: { temperature: 1 } });
    const inMode = async (isStrict: boolean) => tool.invoke(input, callOf({ tool: tool.name, input, isStrict }));
    const loose = await inMode(false);
    const strict = await inMode(true);
    expect(server.requests.map(({ body }) => [body['temperature'], body['seed']])).toEqual([
      [1, undefined],
      [0, 1],
    ]);
    expect(server.requests[1]?.body).not.toHaveProperty('top_p');
    expect((outputOf(strict) as { request: string }).request).not.toBe(
      (outputOf(loose) as { request: string }).request,
    );
  });

  it('reserves at least what the provider then counts, and as much money', () => {
    const tool = toolAt('http://127.0.0.1:9');
    const text = 'a sentence of some length. '.repeat(100);
    const most = tool.estimate?.(question({ messages: [{ role: 'user', text }], max_tokens: 200 })) ?? {};
    expect(most.tokens_in).toBeGreaterThan(text.length / 4);
    expect(most.tokens_in).toBeLessThan(text.length);
    expect(most.tokens_out).toBe(200);
    expect(most.usd).toBeCloseTo(((most.tokens_in ?? 0) * 2 + 200 * 8) / 1e6, 9);
  });

  it('reserves the longest answer that is set when the call does not say', () => {
    const config = { max_tokens: 321 };
    expect(toolAt('http://127.0.0.1:9', {}, NAME, config).estimate?.(question())?.tokens_out).toBe(321);
    expect(toolAt('http://127.0.0.1:9', {}, 'openai:unheard-of').estimate?.(question())).not.toHaveProperty('usd');
    expect(toolAt('http://127.0.0.1:9').estimate?.('nonsense')).toEqual({});
    expect(toolAt('http://127.0.0.1:9').estimate?.(question({ model: 'nonsense' }))).toEqual({});
  });

  it('failures are outcomes: temporary or not, with what to do and what was spent', async () => {
    await using server = await openWireServer(
      inOrder(fail(500), fail(401), say('too long', { finish: 'length', usage: { in: 50, out: 20 } })),
    );
    const tool = toolAt(server.url);
    const input = question({ tools: [{ ...readTool }] });
    expect(await use(tool, input)).toMatchObject({ status: 'failed', temporary: true });
    const noKey = await use(tool, input);
    expect(noKey).toMatchObject({ status: 'failed', temporary: false });
    expect(errorIn(noKey)).toContain('OPENAI_API_KEY');
    const usage = { tokens_in: 50, tokens_out: 20 };
    expect(await use(tool, input)).toMatchObject({ status: 'failed', temporary: false, usage });
  });

  it('an invalid call is reported as a problem, with the reply and its usage', async () => {
    const two = [1, 2].map((path) => ({ name: 'files_read', input: { path } }));
    await using server = await openWireServer(() => calls(two, { usage: { in: 50, out: 20 } }));
    const outcome = await use(toolAt(server.url), question({ tools: [{ ...readTool }] }));
    expect(outcome).toMatchObject({ status: 'ok', usage: { tokens_in: 50, tokens_out: 20 } });
    expect(outputOf(outcome)).toMatchObject({
      call: null,
      problem: `${NAME}: 2 calls at once (files_read, files_read); exactly one is expected`,
      text: '{"name":"files_read","input":{"path":1}}\n{"name":"files_read","input":{"path":2}}',
    });
  });

  it('a server that is down is a temporary failure, and the next turn finds it back', async () => {
    const first = await openWireServer(() => say('before'));
    const tool = toolAt(first.url);
    expect(await use(tool, question())).toMatchObject({ status: 'ok' });
    await first.close();
    expect(await use(tool, question())).toMatchObject({ status: 'failed', temporary: true });
    await using second = await openWireServer(() => say('after'), Number(new URL(first.url).port));
    expect(outputOf(await use(tool, question()))).toMatchObject({ text: 'after' });
    expect(second.requests).toHaveLength(1);
  });

  it('without a model it says what to set', async () => {
    const tool = modelTool(modelsFrom(settings()));
    expect(errorIn(await use(tool, question()))).toBe(
      'no model is set for the executor. Set OKA_MODEL, such as openai:gpt-5-mini, anthropic:claude-sonnet-4-5 or ollama:llama3.2.',
    );
    expect(errorIn(await use(tool, question({ model: 'gpt-5' })))).toContain('names no provider');
  });

  it.each([
    [{ role: 'boss' }, 'role'],
    [{ messages: [] }, 'messages'],
    [{ temprature: 1 }, 'temprature'],
    [{ max_tokens: 0 }, 'max_tokens'],
  ])('refuses %j', async (more, field) => {
    const outcome = await use(toolAt('http://127.0.0.1:9'), question(more));
    expect(outcome.status).toBe('failed');
    expect(errorIn(outcome)).toContain(field);
  });

  it('a turn that is stopped is cancelled, not failed', async () => {
    await using server = await openWireServer(() => stall('it begins'));
    const stop = new AbortController();
    const outcome = use(toolAt(server.url, { live: watching() }), question(), stop.signal);
    await server.asked(1);
    stop.abort();
    expect(await outcome).toEqual({ status: 'cancelled', error: 'the model was stopped' });
  });

  it('pieces go to the side channel only, with the call they belong to', async () => {
    await using server = await openWireServer(() => say('a text that comes in several pieces'));
    const told: string[] = [];
    const tool = toolAt(server.url, {
      live: { ...watching(), answer: ({ call: id }, { text = '' }) => void told.push(`${id}|${text}`) },
    });
    const outcome = await use(tool, question());
    expect(told.length).toBeGreaterThan(1);
    expect(told.map((each) => each.slice(8)).join('')).toBe('a text that comes in several pieces');
    expect(new Set(told.map((each) => each.slice(0, 8)))).toEqual(new Set(['r.n.0.1|']));
    expect(outputOf(outcome)).toMatchObject({ text: 'a text that comes in several pieces' });
    expect(server.requests[0]?.stream).toBe(true);
  });

  it('a call is counted while it is written, and nothing is streamed when nobody watches', async () => {
    await using server = await openWireServer(() => call('submit', { text: 'long '.repeat(50) }));
    let hidden = '';
    const ended: string[] = [];
    const live = {
      ...watching(),
      answer: (_: unknown, chunk: { hidden?: string }) => void (hidden += chunk.hidden ?? ''),
      end: (step: { call: string }) => void ended.push(step.call),
    };
    const tools = [{ name: 'submit', about: 'x', input: { type: 'object' } }];
    expect((await use(toolAt(server.url, { live }), question({ tools }))).status).toBe('ok');
    expect(hidden).toContain('long long');
    expect(ended).toEqual(['r.n.0.1']);
    await use(toolAt(server.url, { live: { ...live, isWatched: () => false } }), question({ tools }));
    expect(server.requests.map(({ stream }) => stream)).toEqual([true, false]);
  });
});

describe('a provider that asks to be left alone', () => {
  it('is left alone as long as it asks, by whoever asks next', async () => {
    await using server = await openWireServer(inOrder(fail(429, { headers: { 'retry-after': '30' } }), say('back')));
    const time = fakeTime();
    const started = time.now;
    const tool = toolAt(server.url, time);
    expect(errorIn(await use(tool, question()))).toContain('retry in 30 s');
    expect(await use(tool, question({ messages: [{ role: 'user', text: 'another run' }] }))).toMatchObject({
      status: 'ok',
    });
    expect(time.now - started).toBe(30_000);
  });

  it('does not keep another model waiting', async () => {
    await using server = await openWireServer(({ model }) =>
      model === 'busy' ? fail(429, { headers: { 'retry-after': '30' } }) : say('free'),
    );
    const time = fakeTime();
    const started = time.now;
    const tool = toolAt(server.url, time);
    await use(tool, question({ model: 'openai:busy' }));
    expect(await use(tool, question({ model: 'openai:free' }))).toMatchObject({ status: 'ok' });
    expect(time.now).toBe(started);
  });

  it('is not asked at all while the wait would be long', async () => {
    await using server = await openWireServer(() => fail(429, { headers: { 'retry-after': '3600' } }));
    const tool = toolAt(server.url, fakeTime());
    await use(tool, question());
    const outcome = await use(tool, question());
    expect(outcome).toMatchObject({ status: 'failed', temporary: true });
    expect(errorIn(outcome)).toContain('asked for a pause, which lasts another 3600 s');
    expect(server.requests).toHaveLength(1);
  });

  it('a turn that waits for it can be stopped', async () => {
    await using server = await openWireServer(() => fail(429, { headers: { 'retry-after': '30' } }));
    const tool = toolAt(server.url);
    await use(tool, question());
    const stop = new AbortController();
    const outcome = use(tool, question(), stop.signal);
    stop.abort();
    expect(await outcome).toMatchObject({ status: 'cancelled' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('in a run', () => {
  const node = { id: 'think', kind: 'tool', tool: 'model.complete', input: question(), on_error: 'retry' };
  const run = async (tool: Tool, budgets: Record<string, number> = {}) => {
    const time = fakeTime();
    const middleware = standardChain({ tools: [tool], ...time });
    const { engine, events } = engineWith({ tools: [tool], middleware });
    await (await engine.start(graphOf([node]), { id: 'r', budgets })).done;
    return dataOf(events, 'call.ended');
  };

  it('the settled turn is in the ledger with its cost, and a failed attempt is tried again', async () => {
    await using server = await openWireServer(
      inOrder(fail(429, { headers: { 'retry-after': '2' } }), say('done', { usage: { in: 40, out: 4 } })),
    );
    const ended = await run(toolAt(server.url, fakeTime()));
    expect(ended.at(-1)).toMatchObject({
      status: 'ok',
      output: { text: 'done', model: NAME },
      usage: { tokens_in: 40, tokens_out: 4 },
    });
    expect(server.requests).toHaveLength(2);
  });

  it('a run that cannot pay for a turn does not ask', async () => {
    await using server = await openWireServer(() => say('done'));
    const ended = await run(toolAt(server.url), { tokens: 100 });
    expect(ended.at(-1)).toMatchObject({ status: 'denied' });
    expect(server.requests).toHaveLength(0);
  });

  it('a scripted model drives it without any of this', async () => {
    const at = folder();
    writeFileSync(`${at}/s.json`, '{"answers":[{"text":"scripted"}]}');
    const tool = modelTool(modelsFrom(settings({ environment: { OKA_MODEL: 'scripted:s.json' }, folder: at })));
    expect((await run(tool, { tokens: 1 })).at(-1)).toMatchObject({ status: 'ok', output: { text: 'scripted' } });
  });
});
