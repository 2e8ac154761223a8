import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../src/core/schema/tool.ts';
import { WaitFor } from '../../../src/core/schema/wait.ts';
import { humanTool } from '../../../src/rooms/desk/tools/human.ts';
import { runTool } from '../../../src/rooms/desk/tools/run-tool.ts';
import { callOf, use } from './tools/support.ts';

describe('human.ask', () => {
  const ask = humanTool();

  it('opens a wait for the answer', async () => {
    expect(await use(ask, { question: 'Which one?', options: ['this', 'that'] })).toEqual({
      status: 'waiting',
      for: { kind: 'question', text: 'Which one?', options: ['this', 'that'] },
    });
    const free = await use(ask, { question: 'Why?' });
    expect(free).toEqual({ status: 'waiting', for: { kind: 'question', text: 'Why?' } });
    expect(free.status === 'waiting' && WaitFor.parse(free.for)).toEqual({ kind: 'question', text: 'Why?' });
  });

  it('takes a text as the answer', () => {
    expect(ask.output.safeParse('because').success).toBe(true);
    expect(ask.output.safeParse({ text: 'because' }).success).toBe(false);
  });

  it.each([
    {},
    { question: '' },
    { question: 'x', options: [] },
    { question: 'x', options: ['', 'y'] },
    { question: 7 },
  ])('%j is no question', async (input) => expect(await use(ask, input)).toMatchObject({ status: 'failed' }));

  it('is a read that is never answered from a cache', () => {
    expect(ask.classOf({ question: 'x' })).toBe('read');
    expect(ask.annotations).toMatchObject({ read_only: true, cacheable: false });
  });
});

describe('run.start', () => {
  const requests: { graph: string; input: unknown; call: ToolCall }[] = [];
  const tool = runTool(async (request) => {
    requests.push(request);
    return `${request.call.run}-child`;
  });

  it('starts a child through the port and waits for it', async () => {
    const input = { graph: 'report', input: { day: 1 } };
    const call = callOf(tool, input);
    expect(await tool.invoke(input, call)).toEqual({ status: 'waiting', for: { kind: 'child', run: 'r1-child' } });
    expect(requests).toEqual([{ ...input, call }]);
  });

  it('gives an empty input when none is said', async () => {
    await use(tool, { graph: 'report' });
    expect(requests.at(-1)).toMatchObject({ graph: 'report', input: {} });
  });

  it.each([{}, { graph: '../x' }, { graph: '' }, { graph: 'a', inputs: 1 }])('%j starts nothing', async (input) => {
    const before = requests.length;
    expect(await use(tool, input)).toMatchObject({ status: 'failed' });
    expect(requests).toHaveLength(before);
  });

  it('passes on what the port throws', async () => {
    const failing = runTool(() => Promise.reject(new Error('no such graph')));
    await expect(use(failing, { graph: 'x' })).rejects.toThrow('no such graph');
  });

  it('may be done twice, and its class is read: the calls of the child are guarded', () => {
    expect(tool.classOf({ graph: 'x' })).toBe('read');
    expect(tool.annotations).toMatchObject({ idempotent: true, cacheable: false });
    expect(tool.targets).toEqual(['graph']);
  });
});
