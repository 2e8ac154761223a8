import { describe, expect, it } from 'vitest';
import { readGraph } from '../../../../src/core/engine/lower.ts';
import { aiTemplate } from '../../../../src/rooms/graphs/kinds/ai-template.ts';
import type { Json } from '../../../../src/core/schema/json.ts';
import type { PromptPart } from '../../../../src/core/schema/model-node.ts';

const base = { kind: 'ai_template', id: 'sum', timeout_seconds: 60, max_retries: 1 };
const graphWith = (...nodes: object[]): unknown => ({ id: 'g', nodes });

function inputOf(node: Record<string, Json>): Record<string, Json> {
  const { graph } = readGraph(graphWith({ ...base, ...node }), [aiTemplate]);
  return graph.nodes.at(-1)?.input as Record<string, Json>;
}

const parts = (node: Record<string, Json>): PromptPart[] => inputOf(node)['prompt'] as PromptPart[];

describe('ai_template', () => {
  it('keeps the words of the graph apart from each value that they are filled with', () => {
    expect(parts({ prompt: 'Sum up {{ input.text }} in {{input.words}} words.' })).toEqual([
      'Sum up ',
      { from: 'input.text', value: '{{input.text}}' },
      ' in ',
      { from: 'input.words', value: '{{input.words}}' },
      ' words.',
    ]);
  });

  it('without a template in the prompt it works on its input, which is the output of the node before unless it names one', () => {
    expect(parts({ prompt: 'Sum up.' })).toEqual(['Sum up.', { from: 'last', value: '{{last}}' }]);
    expect(parts({ prompt: 'Sum up.', input: '{{input.a}}' })[1]).toEqual({
      from: 'the input of this step',
      value: '{{input.a}}',
    });
  });

  it('as the step of a map it works on the item', () => {
    const map = {
      kind: 'map',
      id: 'all',
      over: '{{input}}',
      each: { ...base, prompt: 'Translate.' },
      timeout_seconds: 60,
      max_retries: 1,
    };
    const { graph, problems } = readGraph(graphWith(map), [aiTemplate]);
    expect(problems()).toEqual([]);
    expect(JSON.stringify(graph.nodes[0])).toContain('{{item}}');
  });

  it('is text unless it has a schema or says json', () => {
    expect(inputOf({ prompt: 'x' })['format']).toBe('text');
    expect(inputOf({ prompt: 'x', output_format: 'json' })['format']).toBe('json');
    expect(inputOf({ prompt: 'x', output_schema: { type: 'object' } })).toMatchObject({
      format: 'json',
      schema: { type: 'object' },
    });
  });

  it('names its model and how that answers', () => {
    expect(inputOf({ prompt: 'x', model: 'ollama:m', options: { temperature: 0.5, max_tokens: 9 } })).toMatchObject({
      model: 'ollama:m',
      max_tokens: 9,
      sampling: { temperature: 0.5 },
    });
  });

  it('a schema with a keyword that is not checked is refused when the graph is read', () => {
    expect(() => inputOf({ prompt: 'x', output_schema: { $ref: '#' } })).toThrow(/output_schema: .*\$ref/);
  });

  it('a value that is not there when the node starts is a problem at the node as it was written', () => {
    const { problems } = readGraph(graphWith({ ...base, prompt: '{{later.x}}' }), [aiTemplate]);
    expect(problems()).toMatchObject([{ path: 'nodes.0', problem: expect.stringContaining('{{later}}') }]);
  });
});
