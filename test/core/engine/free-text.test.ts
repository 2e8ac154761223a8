import { describe, expect, it } from 'vitest';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { ask } from '../../../src/rooms/graphs/kinds/ask.ts';
import { engineWith, ok, toolNamed } from '../../support/engine-fakes.ts';

const bounds = { timeout_seconds: 20, max_retries: 0 };
const question = { kind: 'ask', id: 'ask', question: 'Publish it?' };
const tool = (id: string, rest: object = {}) => ({ kind: 'tool', id, tool: 'echo', input: id, ...bounds, ...rest });

/** The steps that were done after this answer. */
async function doneAfter(text: string, nodes: object[], edges: object[] = []): Promise<string[]> {
  const { graph } = readGraph({ id: 'g', nodes, edges }, [ask]);
  const { engine } = engineWith({ tools: [toolNamed('echo', (input) => ok(input))] });
  const { run } = await engine.start(graph, { id: 'r', input: null });
  await engine.whenSettled(run.id);
  const [wait = ''] = (await engine.stateOf('r'))?.waits.keys() ?? [];
  await engine.answer('r', wait, { verdict: 'answered', by: 'ann', text });
  const state = await engine.whenSettled('r');
  return (state?.configs ?? []).flatMap(({ id }, index) =>
    state?.nodes[index]?.status === 'done' && id !== 'ask' ? [id] : [],
  );
}

describe('what a person answers in free text', () => {
  const edge = (when: object): object => ({ from: 'ask', to: 'publish', when: { field: 'answer', ...when } });

  it('leads along an edge whatever its case and the space around it, unless the edge says exact', async () => {
    const nodes = [question, tool('publish')];
    expect(await doneAfter(' Yes \n', nodes, [edge({ equals: 'yes' })])).toEqual(['publish']);
    expect(await doneAfter('yes', nodes, [edge({ equals: 'YES' })])).toEqual(['publish']);
    expect(await doneAfter('Yes', nodes, [edge({ equals: 'yes', text: 'exact' })])).toEqual([]);
    expect(await doneAfter('not yes', nodes, [edge({ equals: 'yes' })])).toEqual([]);
  });

  it('is compared in the same way by conditions, also inside others; a pattern is a pattern', async () => {
    const nodes = (condition: object): object[] => [
      question,
      { kind: 'typed_condition', id: 'is', needs: ['ask'], ...condition },
    ];
    const branch = async (text: string, condition: object): Promise<string[]> =>
      doneAfter(
        text,
        [...nodes(condition), tool('publish')],
        [{ from: 'is', to: 'publish', when: { field: 'branch', equals: 'true' } }],
      );
    const left = '{{ask.answer}}';
    expect(await branch(' YES', { left, operator: 'eq', right: 'yes' })).toEqual(['is', 'publish']);
    expect(await branch('Please do', { left, operator: 'in', right: ['please do', 'yes'] })).toEqual(['is', 'publish']);
    expect(await branch('Yes', { any: [{ left, operator: 'starts_with', right: 'y' }] })).toEqual(['is', 'publish']);
    expect(await branch('Yes', { left, operator: 'eq', right: 'yes', text: 'exact' })).toEqual(['is']);
    expect(await branch('Yes', { left, operator: 'matches', right: '^y' })).toEqual(['is']);
    expect(await branch('Yes', { left: 'Yes', operator: 'eq', right: 'yes' })).toEqual(['is']);
  });

  it('of a graph without such a question nothing changes', () => {
    const nodes = [{ ...question, options: ['yes', 'no'] }, tool('publish')];
    const { graph } = readGraph({ id: 'g', nodes, edges: [edge({ equals: 'yes' })] }, [ask]);
    expect(JSON.stringify(graph)).not.toContain('folded');
  });
});
