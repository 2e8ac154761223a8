import { describe, expect, it } from 'vitest';
import { readGraph } from '../../../../src/core/engine/lower.ts';
import { llmCondition } from '../../../../src/rooms/graphs/kinds/llm-condition.ts';
import type { Json } from '../../../../src/core/schema/json.ts';

const options = [
  { name: 'a', meaning: 'the first' },
  { name: 'b', meaning: 'the second' },
];
const bounds = { timeout_seconds: 60, max_retries: 1, idempotency_key: 'k' };
const condition = { kind: 'llm_condition', id: 'c', prompt: 'Which?', branch_options: options, ...bounds };
const wait = (id: string): object => ({ kind: 'wait', id, for: { kind: 'question', text: 'Go on?' } });

function problemsOf(mode: string, fields: Record<string, Json>, rest: object = {}): [string, string][] {
  const graph = { id: 'g', mode, nodes: [{ ...condition, ...fields }, wait('x'), wait('y')], ...rest };
  const { problems } = readGraph(graph, [llmCondition]);
  return problems().map(({ path, problem }) => [path, problem]);
}

describe('the rules of llm_condition', () => {
  it('bounded needs a default', () => {
    expect(problemsOf('bounded', {})).toEqual([['nodes.0.default', expect.stringContaining('needs a default')]]);
    expect(problemsOf('bounded', { default: 'b' })).toEqual([]);
    expect(problemsOf('flex', {})).toEqual([]);
  });

  it('strict needs two branches, each with an edge, whichever way the edge is written', () => {
    const missing = [['nodes.0.branch_options', expect.stringContaining('none follows "b"')]];
    expect(problemsOf('strict', { branches: { a: 'x' } })).toEqual(missing);
    expect(problemsOf('strict', { branches: { a: 'x', b: 'y' } })).toEqual([]);
    const edges = [
      { from: 'c', to: 'x', option: 'a' },
      { from: 'c', to: 'y', when: { field: 'branch', equals: 'b' } },
    ];
    expect(problemsOf('strict', {}, { edges })).toEqual([]);
    expect(problemsOf('strict', { branch_options: [options[0] ?? null], branches: { a: 'x' } })).toEqual([
      ['nodes.0.branch_options', expect.stringContaining('at least two')],
    ]);
  });

  it('an edge follows one of the branches or the default, and nothing else', () => {
    expect(problemsOf('flex', { default: 'ask', branches: { ask: 'x' } })).toEqual([]);
    expect(problemsOf('flex', { branches: { ask: 'x' } })).toEqual([
      ['nodes.0.branches.ask', expect.stringContaining('no branch "ask"')],
    ]);
  });

  it('two branches of one name are refused when the graph is read', () => {
    expect(() => problemsOf('flex', { branch_options: [options[0] ?? null, options[0] ?? null] })).toThrow(
      /names must differ/,
    );
  });

  it('as the step of a map it needs what its mode demands, but no edges', () => {
    const { id: _, ...each } = condition;
    const map = { kind: 'map', id: 'm', over: '{{input}}', each: { ...each, id: 'e' }, ...bounds };
    const { problems } = readGraph({ id: 'g', mode: 'strict', nodes: [map] }, [llmCondition]);
    expect(problems()).toEqual([]);
    const loose = readGraph({ id: 'g', nodes: [map] }, [llmCondition]);
    expect(loose.problems().map(({ path }) => path)).toEqual(['nodes.0.each.default']);
  });
});
