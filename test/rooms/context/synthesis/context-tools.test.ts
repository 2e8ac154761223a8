import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { contextTools } from '../../../../src/rooms/context/synthesis/context-tools.ts';
import type { Json } from '../../../../src/core/schema/json.ts';
import { SynthesisRequest } from '../../../../src/core/schema/synthesis.ts';
import type { Act, Outcome, Tool, ToolCall } from '../../../../src/core/schema/tool.ts';
import { type MemoryTree, memoryTree } from '../../../support/memory-tree.ts';

const open: MemoryTree[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const state = { hasTree: true };
async function toolsOver(
  files: Record<string, string>,
  hasModel = false,
): Promise<{ home: MemoryTree; tools: Map<string, Tool> }> {
  const home = memoryTree(files);
  open.push(home);
  await home.tree.scan('workspace');
  const made = contextTools({
    synthesis: () => Promise.resolve(home.synthesis),
    hasModel: () => hasModel,
    hasTree: () => state.hasTree,
  });
  return { home, tools: new Map(made.map((tool) => [tool.name, tool])) };
}

const { signal } = new AbortController();
const act = (): Promise<Outcome> => Promise.resolve({ status: 'failed', error: 'no model' });
/** A model that cites the first line of a file, or the first entry of a folder. */
function answerTo(input: Json): Outcome {
  const text = JSON.stringify(input);
  const cited = /Entries there are now: ([\w.-]+)/.exec(text)?.[1] ?? /<data \w+ ([^,]+), described/.exec(text)?.[1];
  const output = {
    text: `It is text, first or two [${cited ?? 'L1'}].`,
    call: null,
    problem: null,
    model: 'test:model',
  };
  return { status: 'ok', output, usage: { tokens_in: 100, tokens_out: 10 } };
}
async function invoke(
  tools: Map<string, Tool>,
  name: string,
  input: Json,
  author = 'model',
  asked: Act = act,
): Promise<Outcome> {
  const call = { tool: name, author, signal, act: asked } as unknown as ToolCall;
  return (await tools.get(name)?.invoke(input, call)) ?? { status: 'failed', error: 'no such tool' };
}

describe('the tools of the context tree', () => {
  it('reading has the class read, and whatever adds or marks frames is a local write', async () => {
    const { tools } = await toolsOver({});
    const classes = [...tools].map(([name, tool]) => [name, tool.classOf({ node: '', question: 'x', content: 'x' })]);
    expect(Object.fromEntries(classes)).toEqual({
      'context.read': 'read',
      'context.ask': 'read',
      'context.map': 'read',
      'context.write': 'write_local',
      'context.synthesize': 'write_local',
      'context.regenerate': 'write_local',
      'context.invalidate': 'write_local',
    });
  });

  it('are offered to planners only where there is a tree', async () => {
    const { tools } = await toolsOver({});
    const offered = (): string[] =>
      [...tools.values()].filter(({ internal }) => internal !== true).map(({ name }) => name);
    state.hasTree = false;
    expect(offered()).toEqual([]);
    state.hasTree = true;
    expect(offered()).toHaveLength(6);
  });

  it('a model writes in the name of oka, whoever it says it is; a person may name an agent', async () => {
    const { home, tools } = await toolsOver({ 'a.md': 'Text.\n' });
    const note = { node: 'a.md', content: 'A note.', agent: 'ana' };
    expect(await invoke(tools, 'context.write', note)).toMatchObject({ status: 'ok' });
    expect(await invoke(tools, 'context.write', { ...note, content: 'Other.' }, 'operator')).toMatchObject({
      status: 'ok',
    });
    const frames = await home.tree.read('workspace', (reader) => reader.frames('a.md'));
    expect(frames.map(({ agent, origin }) => [agent, origin])).toEqual([
      ['oka', 'agent'],
      ['ana', 'agent'],
    ]);
  });

  it('writing the same again gives the same id and changes nothing', async () => {
    const { home, tools } = await toolsOver({ 'a.md': 'Text.\n' });
    const first = await invoke(tools, 'context.write', { node: 'a.md', content: 'A note.' });
    const count = home.events.length;
    expect(await invoke(tools, 'context.write', { node: 'a.md', content: 'A note.' })).toEqual(first);
    expect(home.events.length).toBe(count);
  });

  it('synthesis notices changed files by itself, and a question is answered without a model by what fits best', async () => {
    const { home, tools } = await toolsOver({
      'pay/invoice.ts': '/** Parses invoices. */\n',
      'rain.ts': '/** Rain. */\n',
    });
    home.write({ 'pay/invoice.ts': '/** Parses invoices of suppliers. */\n' });
    expect(await invoke(tools, 'context.synthesize', {})).toMatchObject({ status: 'ok', output: { failed: [] } });
    const asked = await invoke(tools, 'context.ask', { question: 'where are supplier invoices parsed?' });
    const { answer, sources } = (
      asked as unknown as { output: { answer: null; sources: { path: string; text: string }[] } }
    ).output;
    expect(answer).toBeNull();
    expect(sources[0]).toMatchObject({ path: 'pay/invoice.ts', text: 'Parses invoices of suppliers.' });
    expect(sources.map(({ path }) => path)).not.toContain('rain.ts');
  });

  it('a synthesis that makes nothing has failed, and says why; doing it again when all is current has not', async () => {
    const { tools } = await toolsOver({ 'a.md': 'One.\n', 'b.md': 'Two.\n' });
    expect(await invoke(tools, 'context.synthesize', { policy: { kind: 'model' } })).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^nothing was made: .*there is no model to ask/) as string,
      temporary: false,
    });
    expect(await invoke(tools, 'context.synthesize', {})).toMatchObject({ status: 'ok' });
    expect(await invoke(tools, 'context.synthesize', {})).toMatchObject({ status: 'ok', output: { made: [] } });
  });

  it('a synthesis waits for the budget of the day, and goes on with what is still to be made', async () => {
    const { home, tools } = await toolsOver({ 'a.md': 'First.\n', 'b/c.md': 'Two.\n' }, true);
    const until = '2026-01-02T00:00:00.000Z';
    const wait: Outcome = { status: 'waiting', for: { kind: 'timer', until, day_budget: { tokens: 100, usd: 0 } } };
    let left = 1;
    const thrifty: Act = async (_tool, input) => (left-- > 0 ? answerTo(input) : wait);
    const request = { policy: { kind: 'model' } };
    expect(await invoke(tools, 'context.synthesize', request, 'operator', thrifty)).toEqual(wait);
    const before = home.events.filter(({ type }) => type === 'frame.put').length;
    expect(before).toBe(1);
    left = 100;
    expect(await invoke(tools, 'context.synthesize', request, 'operator', thrifty)).toMatchObject({
      status: 'ok',
      output: { made_count: 3, failed: [], usage: { calls: 3 } },
    });
  });

  it('a file that is too large to be read is described by its size', async () => {
    const { home, tools } = await toolsOver({ 'a.md': 'One.\n' });
    home.write({ 'large.bin': 'x' });
    truncateSync(join(home.folder, 'large.bin'), 33 * 1024 * 1024);
    expect(await invoke(tools, 'context.synthesize', {})).toMatchObject({ status: 'ok', output: { failed: [] } });
    const head = await home.tree.read('workspace', (reader) => reader.head('large.bin', 'summary'));
    expect(head === null ? null : await home.tree.text(head)).toContain('too large to be described');
  });

  it('frames of a node are read by what is asked, within a limit', async () => {
    const { tools } = await toolsOver({ 'a.ts': '/** Adds. */\nexport const add = 1;\n' });
    await invoke(tools, 'context.synthesize', { node: 'a.ts' });
    await invoke(tools, 'context.synthesize', { node: 'a.ts', type: 'outline' });
    const read = { node: 'a.ts', question: 'the declaration of const add', max_frames: 1 };
    expect(await invoke(tools, 'context.read', read)).toMatchObject({
      output: { frame_count: 2, frames: [{ type: 'outline' }] },
    });
    expect(await invoke(tools, 'context.read', { node: 'b.ts' })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('oka context scan') as string,
    });
  });

  it('the map shows names as the files are now', async () => {
    const { tools } = await toolsOver({ 'a.ts': 'export const one = 1;\n', 'b.ts': "import { one } from './a.ts';\n" });
    const map = await invoke(tools, 'context.map', { tokens: 100 });
    expect(map).toMatchObject({ status: 'ok', output: { text: 'a.ts (used by 1)\n  1: export const one\n' } });
  });
});

describe('the adapter for agents', () => {
  const quiet = { act: null, signal };

  it('reads, writes and synthesizes in the name of its agent', async () => {
    const { home } = await toolsOver({ 'p/a.md': 'Text.\n' });
    const ana = home.synthesis.adapter('ana', 'workspace', quiet);
    const written = await ana.writeContext('p/a.md', { type: 'note', content: 'A note.' });
    const made = await ana.synthesize('p', 'note');
    const { frames, frame_count: count } = await ana.readContext('p/a.md');
    expect([frames[0]?.id, frames[0]?.agent, count]).toEqual([written, 'ana', 1]);
    expect((await ana.readContext('p', { max_frames: 1 })).frames[0]?.id).toBe(made);
  });

  it('Reader agents never trigger writes, and an unknown agent is an error', async () => {
    const { home } = await toolsOver({ 'a.md': 'Text.\n' });
    const count = home.events.length;
    const rita = home.synthesis.adapter('rita', 'workspace', quiet);
    await expect(rita.writeContext('a.md', { type: 'note', content: 'x' })).rejects.toThrow('may not add frames');
    await expect(rita.synthesize('', 'summary')).rejects.toThrow('may not make frames of folders');
    const nobody = home.synthesis.adapter('nobody', 'workspace', quiet);
    await expect(nobody.writeContext('a.md', { type: 'note', content: 'x' })).rejects.toThrow('there is no agent');
    expect((await rita.readContext('a.md')).frames).toEqual([]);
    expect(home.events.length).toBe(count);
  });

  it('generates the frame of one node with a model, and says why it cannot', async () => {
    const { home } = await toolsOver({ 'a.md': 'Text.\n' });
    const oka = home.synthesis.adapter('oka', 'workspace', quiet);
    await expect(oka.generateFrame('a.md', 'names', 'summary')).rejects.toThrow('there is no model to ask');
  });

  it('registered orderings are those of views, and one that nobody registered is an error', async () => {
    const { home } = await toolsOver({ 'a.md': 'Text.\n' });
    const ana = home.synthesis.adapter('ana', 'workspace', quiet);
    for (const content of ['Long text.', 'Short.', 'The longest text.'])
      await ana.writeContext('a.md', { type: 'note', content });
    const view = { ordering: { by: 'custom', name: 'shortest' }, max_frames: 2 } as const;
    await expect(ana.readContext('a.md', view)).rejects.toThrow('there is no ordering "shortest"');
    home.synthesis.registerOrdering('shortest', (frames) =>
      frames.toSorted((a, b) => a.content.length - b.content.length),
    );
    const { frames } = await ana.readContext('a.md', view);
    expect(frames.map(({ content }) => content)).toEqual(['Short.', 'Long text.']);
  });

  it('registered functions are policies', async () => {
    const { home } = await toolsOver({ 'p/a.md': 'Text.\n' });
    home.synthesis.register('count', (children) => `${children.length} frames\n`);
    await home.synthesis.synthesize(SynthesisRequest.parse({ node: 'p' }), quiet);
    const request = SynthesisRequest.parse({
      node: 'p',
      type: 'note',
      takes: 'summary',
      policy: { kind: 'custom', name: 'count' },
    });
    const { frame } = await home.synthesis.synthesize(request, quiet);
    const row = await home.tree.read('workspace', (reader) => reader.frame(frame ?? ''));
    expect(row === null ? null : await home.tree.text(row)).toBe('1 frames\n');
  });
});
