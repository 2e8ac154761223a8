/**
 * What the graphs of the first runtime are checked for where they come from: each is imported, run and asked about through
 * the command line, with a model, hooks and schedules where it needs them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';
import { say } from '../support/wire-server-reply.ts';

const any = { input_schema: { type: 'any' }, output_schema: { type: 'any' } };
const bounds = { timeout_seconds: 10, max_retries: 0 };
const step = (node_id: string, type: string, rest: object): object => ({ node_id, type, ...any, ...rest });

/** A graph from its start through these nodes, in their order, to its end. */
const through = (id: string, nodes: readonly object[], rest: object = {}): object => ({
  id,
  name: id,
  start: 'start',
  state_access: { default_enabled: true },
  ...rest,
  nodes: [
    { node_id: 'start', type: 'start', output_schema: { type: 'any' }, next: idOf(nodes[0]) },
    ...nodes.map((node, index) => ({ next: idOf(nodes[index + 1]), ...node })),
    { node_id: 'end', type: 'end', input_schema: { type: 'any' } },
  ],
});
const idOf = (node: { node_id?: string } | undefined): string => node?.node_id ?? 'end';

type Answer = { code: number | null; data: Record<string, unknown> };

async function ask(story: Story, ...words: string[]): Promise<Answer> {
  const { code, out } = await story.oka(...words, '--json');
  return { code, data: JSON.parse(out === '' ? '{}' : out) as Record<string, unknown> };
}

async function importGraph(story: Story, graph: object, ...options: string[]): Promise<Answer> {
  const file = join(story.home.dir, 'foreign.json');
  writeFileSync(file, JSON.stringify(graph));
  return ask(story, 'graph', 'import', file, ...options);
}

const write = (value: unknown): object => step('write', 'write_state', { key: 'k', value });
const read = step('read', 'read_state', { key: 'k' });
const file = (rest: object): object =>
  step('file', 'tool', { tool: 'write_file', args: { path: 'a.txt', content: 'hi' }, ...rest });

it('state: refused without access, written, read, and there in the next run', async () => {
  await using story = await openStory();
  const without = await importGraph(story, through('shut', [write(1)], { state_access: {} }));
  expect(without).toMatchObject({ code: 1, data: { file: null } });
  expect(JSON.stringify(without.data)).toContain('uses state, and the graph does not allow it');
  expect(await importGraph(story, through('state', [write('{{input.user}}'), read]))).toMatchObject({
    code: 0,
    data: { problems: [] },
  });
  expect(await ask(story, 'graph', 'run', 'state', '--input', '{"user": "ann"}')).toMatchObject({
    code: 0,
    data: { status: 'done', output: { key: 'k', value: 'ann' } },
  });
  expect(await ask(story, 'graph', 'state', 'get', 'state', 'k')).toMatchObject({ data: { value: 'ann' } });
  expect(
    await importGraph(story, through('prior', [write('{{input.n}}'), step('runs', 'read_prior_runs', { limit: 5 })])),
  ).toMatchObject({ code: 0 });
  await ask(story, 'graph', 'run', 'prior', '--input', '{"n": 42}');
  expect(await ask(story, 'graph', 'run', 'prior', '--input', '{"n": 43}')).toMatchObject({
    data: { output: { count: 1 } },
  });
  expect(await ask(story, 'graph', 'runs', 'prior')).toMatchObject({ data: { runs: [{}, {}] } });
});

it('conditions: a typed one takes the branch, in strict, too', async () => {
  await using story = await openStory();
  const check = {
    strategy: 'typed_condition',
    operator: 'eq',
    left: '{{input.mode}}',
    right: 'fast',
    if_true: 'fast',
    if_false: 'end',
  };
  const graph = through('branch', [step('check', 'condition', check), step('fast', 'transform', { value: 'quick' })]);
  expect(await importGraph(story, graph)).toMatchObject({ code: 0 });
  const fast = await ask(story, 'graph', 'run', 'branch', '--mode', 'strict', '--input', '{"mode": "fast"}');
  expect(fast).toMatchObject({ code: 0, data: { status: 'done', output: 'quick' } });
  expect(fast.data['path']).toContain('fast');
  expect((await ask(story, 'graph', 'run', 'branch', '--input', '{"mode": "slow"}')).data['path']).not.toContain(
    'fast',
  );
});

it('tools: other names and defaults are carried over; a template fills what goes in', async () => {
  await using story = await openStory();
  const named = {
    tool: undefined,
    args: undefined,
    tool_name: 'write_file',
    parameters: { path: 'a.txt', content: '{{input.value}}' },
    next: ['end'],
  };
  expect(await importGraph(story, through('named', [file(named)]))).toMatchObject({ code: 0, data: { problems: [] } });
  const shown = readFileSync(join(story.home.workspace, 'graphs/named.json'), 'utf8');
  expect(shown).toMatch(/"timeout_seconds"[\s\S]*"max_retries"|"max_retries"[\s\S]*"timeout_seconds"/);
  expect(await ask(story, 'graph', 'run', 'named', '--input', '{"value": "123"}')).toMatchObject({ code: 0 });
  expect(story.deskText('a.txt')).toBe('123');
});

it('what cannot run is refused before a run begins: no bounds in strict, no such tool, no such node', async () => {
  await using story = await openStory();
  const unbounded = { kind: 'tool', id: 'file', tool: 'files.write', input: { path: 'a.txt', content: 'hi' } };
  story.write('workspace/graphs/loose.json', JSON.stringify({ id: 'loose', nodes: [unbounded] }));
  const strict = await story.oka('graph', 'run', 'loose', '--mode', 'strict');
  expect(strict.code).not.toBe(0);
  expect(strict.out + strict.err).toContain('idempotency_key');
  for (const [id, wrong, why] of [
    ['toolless', { tool: 'missing_tool', args: {} }, 'no tool'],
    ['nodeless', { args: { path: 'a.txt', content: '{{nobody.value}}' } }, 'nobody'],
  ] as const) {
    const refused = await importGraph(story, through(id, [file(wrong)]));
    expect(refused, id).toMatchObject({ code: 1, data: { file: null } });
    expect(JSON.stringify(refused.data)).toContain(why);
    expect(existsSync(join(story.home.workspace, `graphs/${id}.json`))).toBe(false);
  }
  expect((await ask(story, 'graph', 'runs', 'loose')).data).toMatchObject({ runs: [] });
  expect(existsSync(join(story.home.workspace, 'desk/a.txt'))).toBe(false);
});

it('contracts that are missing are named, and those that do not meet are, too', async () => {
  await using story = await openStory();
  const bare = { node_id: 'file', type: 'tool', tool: 'write_file', args: { path: 'a.txt', content: 'hi' }, ...bounds };
  const imported = await importGraph(story, through('bare', [bare]));
  expect(imported.code).toBe(0);
  expect(JSON.stringify(imported.data['notes'])).toMatch(/input_schema|output_schema|contract/);
  const demand = (name: string): object => ({
    type: 'object',
    required: [name],
    properties: { [name]: { type: 'string' } },
    additionalProperties: false,
  });
  const first = step('first', 'transform', { value: { foo: 'x' }, output_schema: demand('foo') });
  const second = step('second', 'transform', { value: '{{input}}', input_schema: demand('bar') });
  const apart = through('apart', [first, second], { execution_defaults: { ai_edge_policy: 'never' } });
  expect(JSON.stringify((await importGraph(story, apart)).data)).toContain('cannot be the input of \\"second\\"');
  const adapted = through('adapted', [first, second], { execution_defaults: { ai_edge_policy: 'auto' } });
  const { code, data } = await importGraph(story, adapted);
  expect(code).toBe(0);
  expect(data['nodes']).toBe(5); // with the one that adapts
});

it('the same graph has the same hash, whoever imports it', async () => {
  const hashes = new Set<unknown>();
  for (let times = 0; times < 2; times += 1) {
    await using story = await openStory();
    await importGraph(story, through('same', [file({ ...bounds, idempotency_key: 'same:file' })]));
    hashes.add((await ask(story, 'graph', 'show', 'same')).data['hash']);
  }
  expect([...hashes]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
});

it('a model fills an ai_template with JSON, in strict', async () => {
  await using story = await openStory({ model: () => say('{"summary": "done", "count": 2}') });
  const template = {
    prompt_template: 'Summarize {{input.topic}}',
    output_format: 'json',
    ...bounds,
    idempotency_key: 'ai',
  };
  expect(await importGraph(story, through('told', [step('ai', 'ai_template', template)]))).toMatchObject({ code: 0 });
  expect(await ask(story, 'graph', 'run', 'told', '--mode', 'strict', '--input', '{"topic": "tests"}')).toMatchObject({
    code: 0,
    data: { status: 'done', output: { summary: 'done', count: 2 } },
  });
  expect(story.model.requests[0]?.text).toMatch(/Summarize[\s\S]*tests/);
});

it('a run that failed is resumed where it failed', async () => {
  await using story = await openStory();
  const look = step('look', 'tool', { tool: 'read_file', args: { path: 'late.txt' }, ...bounds });
  expect(await importGraph(story, through('late', [write(1), look]))).toMatchObject({ code: 0 });
  expect(await ask(story, 'graph', 'run', 'late', '--id', 'r')).toMatchObject({ code: 1, data: { status: 'failed' } });
  story.write('workspace/desk/late.txt', 'here');
  expect(await ask(story, 'graph', 'resume', 'r')).toMatchObject({ code: 0, data: { status: 'done' } });
  expect((await ask(story, 'graph', 'state', 'history', 'late', 'k')).data['changes']).toHaveLength(1);
});

it('hooks fire around the run and around each node, of start and end, too', async () => {
  await using story = await openStory();
  const line = (name: string): string => `echo "${name} $OKA_NODE $OKA_STATUS" >> hooks.txt`;
  const names = ['before_run', 'after_run', 'before_node', 'after_node'];
  expect(await importGraph(story, through('hooked', []))).toMatchObject({ code: 0 });
  const hooks = Object.fromEntries(names.map((name) => [name, line(name)]));
  const config = JSON.parse(readFileSync(story.home.config, 'utf8')) as object;
  writeFileSync(story.home.config, JSON.stringify({ ...config, hooks }));
  expect(await ask(story, 'graph', 'run', 'hooked')).toMatchObject({ code: 0 });
  const said = story.deskText('hooks.txt');
  for (const words of ['before_run', 'before_node start', 'after_node end', 'after_run  done'])
    expect(said).toContain(words);
});

it('a schedule that is due runs the graph once', async () => {
  await using story = await openStory();
  expect(await importGraph(story, through('due', [write('{{input.hello}}')]))).toMatchObject({ code: 0 });
  const at = new Date(Date.now() + 1500).toISOString();
  story.write('workspace/schedules/soon.json', JSON.stringify({ graph: 'due', at, input: { hello: 'world' } }));
  await story.oka('graph', 'schedule', 'tick');
  await story.until('its time', async () => (Date.now() > Date.parse(at) ? true : undefined));
  for (let times = 0; times < 2; times += 1) expect((await story.oka('graph', 'schedule', 'tick')).code).toBe(0);
  expect(await ask(story, 'graph', 'state', 'get', 'due', 'k')).toMatchObject({ data: { value: 'world' } });
  expect((await ask(story, 'graph', 'runs', 'due')).data['runs']).toHaveLength(1);
});
