import { describe, expect, it } from 'vitest';
import { openWireServer } from '../../support/wire-server.ts';
import { call, calls, cut, fail, raw, say, stall, tooLong, type WireReply } from '../../support/wire-server-reply.ts';
import { ask, failureOf, finishTool, modelAt, PROVIDERS, readTool, turn, WAYS, type Way } from './support.ts';

const cases = PROVIDERS.flatMap((provider) => WAYS.map((way) => [provider, way] as const));

describe.each(cases)('%s, %s', (provider, way) => {
  const name = `${provider}:some-model`;
  const ways = (reply: WireReply) => openWireServer(() => reply);

  it('says what the model said, who it was and what it used', async () => {
    await using server = await ways(say('Hello there, this is a longer answer.', { usage: { in: 120, out: 9 } }));
    const answer = await turn(modelAt(server.url, name), way, ask('hi'));
    expect(answer).toMatchObject({
      text: 'Hello there, this is a longer answer.',
      call: null,
      model: name,
      usage: { tokens_in: 120, tokens_out: 9 },
    });
    expect(answer.usage.ms).toBeGreaterThanOrEqual(0);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({ model: 'some-model', stream: way === 'streamed', tools: [] });
    expect(server.requests[0]?.text).toBe('You act.\nhi');
  });

  it('offers tools under names the provider takes, wants one call, and gives it back under our name', async () => {
    await using server = await ways(call('files_read', { path: 'a "quoted" name.txt' }));
    const answer = await turn(modelAt(server.url, name), way, ask('read it', { tools: [readTool, finishTool] }));
    expect(answer.call).toEqual({ name: 'files.read', input: { path: 'a "quoted" name.txt' } });
    const [request] = server.requests;
    expect(request?.tools).toEqual(['files_read', 'Finish']);
    if (provider === 'anthropic')
      expect(request?.body['tool_choice']).toEqual({ type: 'any', disable_parallel_tool_use: true });
    else expect(request?.body['tool_choice']).toBe('required');
    if (provider === 'openai' || provider === 'custom') expect(request?.body['parallel_tool_calls']).toBe(false);
  });

  it.each([
    'The page says I should call {"name":"files.read","input":{"path":"a.txt"}}. I will NOT do it.',
    'I will read it.\n```json\n{"tool": "files.read", "arguments": {"path": "a.txt"}}\n```',
    '{"name": "files.read", "input": {"path": "a.txt"}}',
  ])('what a model quotes is not a call: %s', async (text) => {
    await using server = await ways(say(text));
    const answer = await turn(modelAt(server.url, name), way, ask('read it', { tools: [readTool] }));
    expect(answer).toMatchObject({ text, call: null });
  });

  it('a model that is set to text calls ends its answer with the block it was asked for', async () => {
    await using server = await openWireServer(({ text }) => {
      const [label] = /call-[0-9a-f]{10}/.exec(text) ?? [];
      return say(`I will read it.\n\`\`\`${label}\n{"name": "files.read", "input": {"path": "a.txt"}}\n\`\`\``);
    });
    const config = { settings: { [name]: { tool_calls: 'text' } } };
    const answer = await turn(modelAt(server.url, name, { config }), way, ask('read it', { tools: [readTool] }));
    expect(answer.call).toEqual({ name: 'files.read', input: { path: 'a.txt' } });
    expect(server.requests[0]).toMatchObject({ tools: [] });
    expect(server.requests[0]?.text).toContain('"name":"files.read"');
  });

  it('distinguishes prose from a call: then there is none', async () => {
    await using server = await ways(say('I would rather talk.'));
    const answer = await turn(modelAt(server.url, name), way, ask('read it', { tools: [readTool] }));
    expect(answer).toMatchObject({ text: 'I would rather talk.', call: null });
  });

  it('refuses two calls at once, says so, and says what was spent', async () => {
    const two = [
      { name: 'files_read', input: { path: 'a' } },
      { name: 'Finish', input: {} },
    ];
    await using server = await ways(calls(two, { usage: { in: 50, out: 20 } }));
    const failure = await failureOf(turn(modelAt(server.url, name), way, ask('go', { tools: [readTool, finishTool] })));
    expect(failure).toMatchObject({ code: 'model-bad-call', usage: { tokens_in: 50, tokens_out: 20 } });
    expect(failure.message).toContain('2 calls at once (files_read, Finish)');
  });

  it('refuses a call of a tool that was not offered', async () => {
    await using server = await ways(call('rm_rf', {}));
    const failure = await failureOf(turn(modelAt(server.url, name), way, ask('go', { tools: [readTool] })));
    expect(failure.problem).toMatchObject({ kind: 'bad-call', temporary: false });
    expect(failure.message).toContain('there is no tool "rm_rf"; there is files.read');
  });

  it('gives several calls in order where they are allowed, and does not forbid them to the provider', async () => {
    const two = [
      { name: 'files_read', input: { path: 'a' } },
      { name: 'files_read', input: { path: 'b' } },
    ];
    await using server = await ways(calls(two));
    const request = ask('go', { tools: [readTool], parallel: true });
    const answer = await turn(modelAt(server.url, name), way, request);
    expect([answer.call, ...(answer.more ?? [])]).toEqual([
      { name: 'files.read', input: { path: 'a' } },
      { name: 'files.read', input: { path: 'b' } },
    ]);
    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/parallel_tool_(calls|use)":(false|true)/);
  });

  it('says which setting makes a cut answer longer, and how long it is now', async () => {
    await using server = await ways(say('one two', { finish: 'length' }));
    const failure = await failureOf(turn(modelAt(server.url, name), way, ask('hi')));
    expect(failure.problem.fix).toMatch(
      /^Set models\.settings\["[^"]+"\]\.max_tokens in config\.json to more than \d+ /,
    );
  });

  it('sends what is set: temperature, top_p and the longest answer', async () => {
    await using server = await ways(say('ok'));
    const config = { temperature: 0.2, settings: { [name]: { max_tokens: 77 } } };
    await turn(modelAt(server.url, name, { config }), way, ask('hi'));
    await turn(modelAt(server.url, name, { config: { top_p: 0.5 } }), way, ask('hi', { maxTokens: 12 }));
    expect(server.requests[0]?.body).toMatchObject({ temperature: 0.2, max_tokens: 77 });
    expect(server.requests[1]?.body).toMatchObject({ top_p: 0.5, max_tokens: 12 });
  });

  it('a request that says how it is sampled overrides what is set', async () => {
    await using server = await ways(say('ok'));
    const config = { temperature: 0.2, top_p: 0.5 };
    const sampling = { temperature: 0, seed: 7 };
    await turn(modelAt(server.url, name, { config }), way, ask('hi', { sampling }));
    expect(server.requests[0]?.body).toMatchObject({
      temperature: 0,
      ...(provider === 'anthropic' ? {} : { seed: 7 }),
    });
    expect(server.requests[0]?.body).not.toHaveProperty('top_p');
  });

  const format = provider === 'anthropic' ? 'anthropic' : 'openai';
  const failures: [string, WireReply, object][] = [
    ['a wrong key', fail(401), { kind: 'no-key', temporary: false }],
    ['a model that is not there', fail(404), { kind: 'unknown', temporary: false }],
    [
      'too many requests',
      fail(429, { headers: { 'retry-after': '7' } }),
      { kind: 'rate-limited', temporary: true, retryAfterMs: 7000 },
    ],
    [
      'an account without credit',
      fail(429, { code: 'insufficient_quota', type: 'insufficient_quota', message: 'check your plan and billing' }),
      { kind: 'unpaid', temporary: false },
    ],
    ['too long a request', tooLong(format), { kind: 'context-too-long', temporary: false }],
    ['a request it does not take', fail(400), { kind: 'bad-request', temporary: false }],
    ['a server in trouble', fail(500), { kind: 'down', temporary: true }],
    ['a server with too much to do', fail(529), { kind: 'down', temporary: true }],
    ['a connection that is dropped at once', cut(), { kind: 'down', temporary: true }],
    ['a connection that is dropped on the way', cut('this is the start of an answer'), { temporary: true }],
    ['a refusal', say('I cannot help with that.', { finish: 'refused' }), { kind: 'refused', temporary: false }],
    ['an answer that is cut off', say('one two three', { finish: 'length' }), { kind: 'cut-off', temporary: false }],
    ['a page instead of an answer', raw('<html>Welcome</html>', { media: 'text/html' }), { kind: 'bad-answer' }],
    ['an empty answer', raw('', {}), { kind: 'bad-answer' }],
    ['a page for an error', raw('<html>Bad gateway</html>', { status: 502, media: 'text/html' }), { kind: 'down' }],
    ['a redirection', raw('', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }), { kind: 'bad-answer' }],
  ];

  it.each(failures)('%s is reported in our own words, after one request', async (_, reply, expected) => {
    await using server = await ways(reply);
    const failure = await failureOf(turn(modelAt(server.url, name), way, ask('hi')));
    expect(failure.problem).toMatchObject(expected);
    expect(failure.message).toContain(name);
    expect(failure.fix).toMatch(/\w/);
    expect(server.requests).toHaveLength(1);
  });

  it('reports broken JSON as such', async () => {
    const body = way === 'streamed' ? 'data: {"id": "x", "choices": [{"del\n\n' : '{"id": "x", "choices": [{';
    await using server = await ways(
      raw(body, { media: way === 'streamed' ? 'text/event-stream' : 'application/json' }),
    );
    const failure = await failureOf(turn(modelAt(server.url, name), way, ask('hi')));
    expect(failure.problem).toMatchObject({ kind: 'bad-answer', temporary: true });
  });

  it('reports that no server is listening', async () => {
    const server = await ways(say('gone'));
    await server.close();
    const failure = await failureOf(turn(modelAt(server.url, name), way, ask('hi')));
    expect(failure.problem).toMatchObject({ kind: 'down', temporary: true });
    expect(failure.fix).toContain(server.url);
  });

  it.each(['', 'it starts like this and then'])('stops when its caller does, after "%s"', async (first) => {
    await using server = await ways(stall(first));
    const stop = new AbortController();
    const answer = turn(modelAt(server.url, name), way, ask('hi'), stop.signal);
    const failed = failureOf(answer);
    await server.asked(1);
    stop.abort();
    expect((await failed).problem).toMatchObject({ kind: 'stopped', temporary: false });
  });

  it.each(['', 'it starts like this and then'])('gives up on a model that is silent after "%s"', async (first) => {
    await using server = await ways(stall(first));
    const model = modelAt(server.url, name, { config: { timeout_seconds: 0.05 } });
    expect((await failureOf(turn(model, way, ask('hi')))).problem).toMatchObject({ kind: 'stalled', temporary: true });
  });
});

describe('provider', () => {
  it.each(PROVIDERS)('%s streams the text as it arrives, in order and complete', async (provider) => {
    await using server = await openWireServer(() => say('One two three four five six seven eight.'));
    const told: string[] = [];
    const model = modelAt(server.url, `${provider}:m`);
    const answer = await model.stream(ask('count'), new AbortController().signal, (text) => told.push(text));
    expect(told.length).toBeGreaterThan(2);
    expect(told.join('')).toBe(answer.text);
  });

  it.each<[string, Way]>([
    ['openai:m', 'whole'],
    ['openai:m', 'streamed'],
    ['anthropic:m', 'streamed'],
    ['custom:m', 'whole'],
  ])('%s (%s) tells the broken input of a call, so that it can be asked again', async (name, way) => {
    await using server = await openWireServer(() => call('files_read', '{"path": "a.txt'));
    const failure = await failureOf(turn(modelAt(server.url, name), way, ask('go', { tools: [readTool] })));
    expect(failure.problem).toMatchObject({ kind: 'bad-call', temporary: false });
    expect(failure.message).toContain('the input of files.read is not a JSON object: {"path": "a.txt');
  });

  it('P3 no key is in an error, even when the server quotes it', async () => {
    await using server = await openWireServer(({ headers }) =>
      fail(401, { message: `the key ${String(headers.authorization)} is wrong` }),
    );
    const failure = await failureOf(turn(modelAt(server.url, 'openai:m'), 'whole', ask('hi')));
    expect(failure.message).toContain('the key Bearer [key] is wrong');
    expect(failure.fix).toContain('OPENAI_API_KEY');
  });

  it('a key of the vault goes before that of the environment, and is asked for at every call', async () => {
    await using server = await openWireServer(() => say('ok'));
    const vault: { ANTHROPIC_API_KEY?: string } = { ANTHROPIC_API_KEY: 'from-the-vault' };
    const model = modelAt(server.url, 'anthropic:m', { vault });
    await turn(model, 'whole', ask('one'));
    vault.ANTHROPIC_API_KEY = 'a-newer-one';
    await turn(model, 'whole', ask('two'));
    delete vault.ANTHROPIC_API_KEY;
    await turn(model, 'whole', ask('three'));
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
      'from-the-vault',
      'a-newer-one',
      'anthropic-key-of-a-test',
    ]);
  });

  it('a provider that needs a key is not asked without one', async () => {
    await using server = await openWireServer(() => say('ok'));
    const model = modelAt(server.url, 'anthropic:m', { environment: { ANTHROPIC_API_KEY: '' } });
    const failure = await failureOf(turn(model, 'whole', ask('hi')));
    expect(failure.code).toBe('model-no-key');
    expect(failure.fix).toContain('ANTHROPIC_API_KEY');
    expect(server.requests).toHaveLength(0);
  });

  it('a server of one’s own is asked without a key', async () => {
    await using server = await openWireServer(() => say('ok'));
    await turn(modelAt(server.url, 'custom:m', { environment: { OKA_MODEL_KEY: '' } }), 'whole', ask('hi'));
    await turn(modelAt(server.url, 'ollama:llama3.2:3b'), 'whole', ask('hi'));
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
    expect(server.requests[1]?.model).toBe('llama3.2:3b');
  });

  it('an error in the middle of a stream is reported, not taken for the end', async () => {
    const start =
      'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\n';
    const error = 'data: {"error":{"message":"overloaded","type":"server_error","code":503}}\n\n';
    await using server = await openWireServer(() => raw(start + error, { media: 'text/event-stream' }));
    const failure = await failureOf(turn(modelAt(server.url, 'openai:m'), 'streamed', ask('hi')));
    expect(failure.problem).toMatchObject({ kind: 'down', temporary: true });
  });

  it('a stream that ends before the model has said so is no answer', async () => {
    await using server = await openWireServer(() => say('Half of', { finish: 'none' }));
    for (const provider of ['openai', 'anthropic', 'custom']) {
      const failure = await failureOf(turn(modelAt(server.url, `${provider}:m`), 'streamed', ask('hi')));
      expect(failure.problem).toMatchObject({ kind: 'bad-answer', temporary: true });
    }
  });

  it('what a model thinks aloud is not its answer', async () => {
    await using server = await openWireServer(() => say('<think>{"name":"Finish"}</think>\n\nNo call.'));
    const answer = await turn(modelAt(server.url, 'ollama:m'), 'whole', ask('hi', { tools: [finishTool] }));
    expect(answer).toMatchObject({ text: 'No call.', call: null });
  });

  it('what is in extra goes out as it is', async () => {
    await using server = await openWireServer(() => say('ok'));
    const config = { settings: { 'custom:m': { extra: { seed: 7, top_k: 3 } } } };
    await turn(modelAt(server.url, 'custom:m', { config }), 'whole', ask('hi'));
    expect(server.requests[0]?.body).toMatchObject({ seed: 7, top_k: 3 });
  });

  it('models that reason get the longest answer under the name they know', async () => {
    await using server = await openWireServer(() => call('files_read', { path: 'a' }));
    const model = modelAt(server.url, 'openai:gpt-5-mini', { config: { temperature: 0 } });
    const answer = await turn(model, 'whole', ask('hi', { maxTokens: 99, tools: [readTool] }));
    expect(answer.call?.name).toBe('files.read');
    expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 99 });
    expect(server.requests[0]?.body).not.toHaveProperty('temperature');
  });

  it('models that cannot be made to call are asked all the same', async () => {
    await using server = await openWireServer(({ number }) =>
      number === 1 ? call('files_read', { path: 'a' }) : say('I would rather not.'),
    );
    const model = modelAt(server.url, 'anthropic:claude-opus-5-5');
    const request = ask('hi', { tools: [readTool] });
    expect((await turn(model, 'streamed', request)).call).toEqual({ name: 'files.read', input: { path: 'a' } });
    expect(server.requests[0]?.body['tool_choice']).toMatchObject({ type: 'auto' });
    expect(await turn(model, 'streamed', request)).toMatchObject({ call: null, text: 'I would rather not.' });
  });

  it('two turns at once do not mix', async () => {
    await using server = await openWireServer(({ text }) => say(text.includes('left') ? 'L' : 'R'));
    const model = modelAt(server.url, 'openai:m');
    const answers = await Promise.all(['left', 'right'].map((text) => turn(model, 'streamed', ask(text))));
    expect(answers.map(({ text }) => text)).toEqual(['L', 'R']);
  });
});
