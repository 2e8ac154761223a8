import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGraph } from '../../../src/core/engine/check-graph.ts';
import { isLooser } from '../../../src/core/engine/mode-rules.ts';
import type { Mode } from '../../../src/core/schema/run.ts';
import { runTool } from '../../../src/rooms/desk/tools/run-tool.ts';
import { crashingEvents } from '../../support/engine-crash.ts';
import { dataOf, engineWith, graphOf, ok, type Seen, toolNamed } from '../../support/engine-fakes.ts';

const bounds = { timeout_seconds: 5, max_retries: 1 };
const keyed = { ...bounds, idempotency_key: 'k' };
const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const problemsOf = (mode: Mode, ...nodes: object[]) => checkGraph(graphOf(nodes, { mode }));

describe('what a mode demands', () => {
  it.each<[Mode, object, string[]]>([
    ['strict', tool('a', keyed), []],
    ['strict', tool('a', bounds), ['nodes.0.idempotency_key']],
    ['strict', tool('a', { ...bounds, tool: 'state.read' }), []],
    ['strict', { kind: 'agent', id: 'a', goal: 'x', ...keyed }, ['nodes.0.kind']],
    ['bounded', tool('a', bounds), []],
    ['bounded', tool('a', { timeout_seconds: 5, retry: { times: 0 } }), []],
    ['bounded', tool('a'), ['nodes.0.timeout_seconds', 'nodes.0.max_retries']],
    ['bounded', { kind: 'agent', id: 'a', goal: 'x', timeout_seconds: 5 }, ['nodes.0.max_retries']],
    [
      'bounded',
      { kind: 'map', id: 'a', over: '{{input}}', each: tool('x') },
      ['nodes.0.each.timeout_seconds', 'nodes.0.each.max_retries'],
    ],
    ['strict', { kind: 'typed_condition', id: 'a', operator: 'exists' }, []],
    ['flex', tool('a'), []],
  ])('%s and %j: %j is missing', (mode, node, paths) => {
    const found = problemsOf(mode, node);
    expect(found.map(({ path }) => path)).toEqual(paths);
    for (const { rule, fix } of found) expect([rule, typeof fix]).toEqual([`mode.${mode}`, 'string']);
  });

  it('a graph that is right in one mode is right in every looser one', () => {
    const field = <T>(value: T): fc.Arbitrary<T | undefined> => fc.option(fc.constant(value), { nil: undefined });
    const nodes = fc.array(
      fc.record({
        kind: fc.constantFrom('tool', 'agent', 'map', 'typed_condition'),
        timeout_seconds: field(5),
        max_retries: field(1),
        idempotency_key: field('k'),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(nodes, (specs) => {
        const written = specs.map(({ kind, ...given }, index) =>
          nodeOf(kind, `n${index}`, JSON.parse(JSON.stringify(given)) as object),
        );
        const count = (mode: Mode): number => problemsOf(mode, ...written).length;
        if (count('strict') === 0) expect(count('bounded')).toBe(0);
        expect(count('flex')).toBe(0);
        const calls = specs.filter(({ kind }) => kind !== 'typed_condition');
        expect(count('bounded')).toBe(
          calls.reduce((sum, each) => sum + Number(!each.timeout_seconds) + Number(each.max_retries === undefined), 0),
        );
      }),
    );
  });

  it('a run is refused when its graph lacks what its mode demands, and leaves no event', async () => {
    const { engine, events } = engineWith({ tools: [toolNamed('look', () => ok())] });
    await expect(engine.start(graphOf([tool('a')], { mode: 'bounded' }), { id: 'r' })).rejects.toThrow(
      'mode bounded needs timeout_seconds',
    );
    expect(events).toEqual([]);
  });

  it('a map of more items than its limit fails; without one the limit is 10,000, and in flex there is none', async () => {
    const start = async ({ engine }: Seen, items: number, mode: Mode, rest: object = {}): Promise<string> => {
      const each = { kind: 'typed_condition', id: 'x', operator: 'exists' };
      const graph = graphOf([{ kind: 'map', id: 'm', over: '{{input}}', each, ...rest }], { mode });
      const run = await (await engine.start(graph, { id: 'r', input: Array.from({ length: items }, () => 1) })).done;
      return `${run.status}: ${run.reason}`;
    };
    const ends = (...how: [items: number, mode: Mode, rest?: object]) => start(engineWith({ tools: [] }), ...how);
    expect(await ends(3, 'bounded', { max_items: 3 })).toMatch(/^done/);
    expect(await ends(4, 'flex', { max_items: 3 })).toBe('failed: m: "over" gave 4 items, and at most 3 are allowed');
    expect(await ends(10_001, 'bounded')).toMatch(/at most 10000 are allowed$/);
    const events = crashingEvents(() => 0, [], 200); // enough to see that the items are worked through
    const going = start(engineWith({ tools: [], stores: { events } }), 10_001, 'flex').catch(() => 'the world stops');
    await Promise.race([going, events.crash]);
    expect([events.hasCrashed(), events.all.filter(({ type }) => type === 'run.ended')]).toEqual([true, []]);
  });

  it('what runs inside a strict run is strict, too, or does not run', async () => {
    const inside = { ok: graphOf([tool('a', keyed)], { id: 'ok' }), loose: graphOf([tool('a')], { id: 'loose' }) };
    const seen: Seen = engineWith({
      tools: [
        toolNamed('look', () => ok()),
        runTool(({ graph, input, call }) => seen.engine.startChild(graph, input, call)),
      ],
      graphs: (id) => inside[id as keyof typeof inside],
    });
    const outer = (id: string) => graphOf([{ kind: 'graph', id: 'g', graph: id }], { mode: 'strict' });
    expect((await (await seen.engine.start(outer('ok'), { id: 'r' })).done).status).toBe('done');
    expect(dataOf(seen.events, 'run.started').map(({ mode }) => mode)).toEqual(['strict', 'strict']);
    const refused = await (await seen.engine.start(outer('loose'), { id: 'r2' })).done;
    expect(refused).toMatchObject({ status: 'failed', reason: expect.stringContaining('mode strict needs') });
  });

  it('flex is looser than bounded, and bounded looser than strict', () => {
    expect([isLooser('flex', 'bounded'), isLooser('bounded', 'strict'), isLooser('strict', 'flex')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(isLooser('bounded', 'bounded')).toBe(false);
  });
});

function nodeOf(kind: string, id: string, given: object): object {
  if (kind === 'tool') return tool(id, given);
  if (kind === 'agent') return { kind, id, goal: 'x', ...given };
  if (kind === 'map') return { kind, id, over: '{{input}}', each: tool('x', given) };
  return { kind, id, operator: 'exists' };
}
