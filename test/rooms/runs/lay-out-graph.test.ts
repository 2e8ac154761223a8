import { describe, expect, it } from 'vitest';
import { HEIGHT, layOutLarge, WIDTH } from '../../../src/rooms/runs/run-page/browser/lay-out-graph.ts';
import { parseTable } from '../../../src/kit/web/browser/components/parse-table.ts';

const node = (id: string): { id: string; title: string; about: string; shape: string } => ({
  id,
  title: id,
  about: '',
  shape: 'step',
});
const edge = (
  from: string,
  to: string,
  isBack = false,
): { from: string; to: string; label: string; is_back: boolean } => ({
  from,
  to,
  label: '',
  is_back: isBack,
});

describe('layOutLarge', () => {
  it('places every node below those before it, with no two on top of each other, and not too wide', () => {
    const nodes = Array.from({ length: 200 }, (_, index) => node(`n${index}`));
    const edges = nodes.flatMap((_, index) =>
      index < 5 ? [] : [edge(`n${Math.floor(index / 3)}`, `n${index}`), edge(`n${index - 4}`, `n${index}`)],
    );
    const layout = layOutLarge({ nodes, edges: [...edges, edge('n199', 'n0', true)], text: '' });
    const places = new Map(layout.nodes.map(({ id, x, y }) => [id, { x, y }]));
    for (const { from, to } of edges) expect(places.get(to)?.y).toBeGreaterThan(places.get(from)?.y ?? 0);
    expect(new Set(layout.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(200);
    expect(layout.width).toBeLessThan(WIDTH * 12);
    expect(layout.nodes.every(({ x, y }) => x >= WIDTH / 2 && y >= HEIGHT / 2)).toBe(true);
    expect(layout.edges).toHaveLength(edges.length + 1);
  });

  it('also ends for a cycle that is not declared as one', () => {
    const layout = layOutLarge({ nodes: [node('a'), node('b')], edges: [edge('a', 'b'), edge('b', 'a')], text: '' });
    expect(layout.nodes).toHaveLength(2);
  });
});

describe('parseTable', () => {
  it('knows quotes, doubled quotes, line breaks in quotes, and other separators', () => {
    expect(parseTable('a,b\r\n"1, ""2""",3\n"x\ny",\n')).toEqual([
      ['a', 'b'],
      ['1, "2"', '3'],
      ['x\ny', ''],
    ]);
    expect(parseTable('a;b\n1;2')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
    expect(parseTable('')).toEqual([]);
  });
});
