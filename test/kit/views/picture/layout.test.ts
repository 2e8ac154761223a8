import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDot, toMermaid } from '../../../../src/kit/views/picture/diagram-text.ts';
import { pictureOf, withRun } from '../../../../src/kit/views/picture/graph-picture.ts';
import { layoutLarge } from '../../../../src/kit/views/picture/large-layout.ts';
import { type Box, layoutPicture, type PlacedEdge, type Point } from '../../../../src/kit/views/picture/layout.ts';
import { toSvg } from '../../../../src/kit/views/picture/svg.ts';
import type { Event } from '../../../../src/core/schema/event.ts';
import type { Json } from '../../../../src/core/schema/json.ts';

type JsonRecord = { [field: string]: Json };

/** Up to 50 nodes of all shapes, with branches, loops, edges back and titles of any length. */
const anyGraph = fc
  .array(
    fc.record({
      kind: fc.constantFrom('tool', 'typed_condition', 'map', 'wait'),
      title: fc.string({ unit: 'grapheme', maxLength: 60 }),
      needs: fc.array(fc.nat(), { maxLength: 3 }),
      back: fc.option(fc.nat(), { freq: 6 }),
      branch: fc.option(fc.nat(), { freq: 4 }),
      name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    }),
    { minLength: 1, maxLength: 50 },
  )
  .map((rows): JsonRecord => {
    const idAt = (index: number): string => `n${index}`;
    return {
      id: 'g',
      nodes: rows.map(({ kind, title, needs }, at) => ({
        kind,
        id: idAt(at),
        title,
        tool: 'files.list',
        needs: at === 0 ? [] : needs.map((need) => idAt(need % at)),
      })),
      edges: rows.flatMap(({ back, branch, name }, at): JsonRecord[] => [
        ...(back === null ? [] : [{ from: idAt(at), to: idAt(back % (at + 1)), option: name, max: 3 }]),
        ...(branch === null || at === 0 ? [] : [{ from: idAt(branch % at), to: idAt(at), option: name }]),
      ]),
    };
  });

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** The upright parts of an edge, without its two ends, which touch their boxes. */
function uprights({ points }: PlacedEdge): { from: Point; to: Point }[] {
  const pairs = points.slice(1).map((to, at) => ({ from: points[at] ?? to, to }));
  return pairs.filter(({ from, to }) => Math.abs(from.x - to.x) < 0.01);
}

describe('the picture of a graph', () => {
  it('has no overlapping boxes or labels, whatever the graph, and no edge passes through a box', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const { nodes, edges, width, height } = layoutPicture(pictureOf(graph));
        const boxes: Box[] = [...nodes, ...edges.flatMap(({ label }) => (label === null ? [] : [label]))];
        boxes.forEach((box, at) => {
          expect(boxes.slice(at + 1).filter((other) => overlap(box, other))).toEqual([]);
          expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height).toBe(true);
        });
        for (const edge of edges)
          for (const { from, to } of uprights(edge)) {
            const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
            const line = { x: from.x, y: top + 0.1, width: 0.01, height: Math.max(0, bottom - top - 0.2) };
            expect(edge.isLoop ? [] : nodes.filter((node) => overlap(node, line)).map(({ node }) => node.id)).toEqual(
              [],
            );
          }
      }),
      { numRuns: 60 },
    );
  });

  it('is well-formed SVG that contains every node and every label', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const picture = pictureOf(graph);
        const svg = toSvg(picture);
        expect(unclosedTags(svg)).toEqual([]);
        expect(svg).not.toMatch(/&(?!(?:amp|lt|gt|quot);)/);
        expect(svg.match(/<g class="node"/g)).toHaveLength(picture.nodes.length);
        expect(svg.match(/<path class="edge"/g) ?? []).toHaveLength(picture.edges.length);
        const labels = picture.edges.filter(({ label }) => label !== '');
        expect(svg.match(/class="label"/g) ?? []).toHaveLength(labels.length);
      }),
      { numRuns: 60 },
    );
  });

  const triage: JsonRecord = {
    id: 'triage',
    title: 'Sort <mail> & "more"',
    nodes: [
      { kind: 'tool', id: 'fetch', tool: 'http.get' },
      { kind: 'llm_condition', id: 'kind', needs: ['fetch'], branches: { urgent: 'call', other: 'file' } },
      { kind: 'tool', id: 'call', tool: 'human.ask', on_error: 'branch:file' },
      { kind: 'map', id: 'file', over: '{{fetch}}', each: { kind: 'tool', id: 'x', tool: 'files.write' } },
    ],
    edges: [{ from: 'file', to: 'fetch', when: { field: 'more', equals: true }, max: 5 }],
  };

  it('shows branches, what follows an error, loops and maps', () => {
    const { edges, nodes } = pictureOf(triage);
    expect(edges.map(({ from, to, label, isBack }) => [from, to, label, isBack])).toEqual([
      ['fetch', 'kind', '', false],
      ['kind', 'call', 'urgent', false],
      ['kind', 'file', 'other', false],
      ['call', 'file', 'on error', false],
      ['file', 'fetch', 'more = true, at most 5×', true],
    ]);
    expect(nodes.map(({ shape, about }) => [shape, about])).toEqual([
      ['step', 'http.get'],
      ['condition', 'llm_condition'],
      ['step', 'human.ask'],
      ['map', 'map: files.write for each'],
    ]);
    expect(toMermaid(pictureOf(triage))).toBe(
      [
        'flowchart TD',
        '  n0["fetch<br/>http.get"]',
        '  n1{{"kind<br/>llm_condition"}}',
        '  n2["call<br/>human.ask"]',
        '  n3[["file<br/>map: files.write for each"]]',
        '  n0 --> n1',
        '  n1 -->|"urgent"| n2',
        '  n1 -->|"other"| n3',
        '  n2 -->|"on error"| n3',
        '  n3 -.->|"more = true, at most 5×"| n0',
        '',
      ].join('\n'),
    );
    expect(toDot(pictureOf(triage))).toContain('"kind" -> "call" [label="urgent"];');
    expect(toDot(pictureOf(triage))).toContain('label="Sort <mail> & \\"more\\"";');
    expect(toSvg(pictureOf(triage))).toContain('Sort &lt;mail&gt; &amp; &quot;more&quot;');
  });

  it('of a run marks what was done, what failed and what was skipped, not by colour alone', () => {
    const base = { run: 'r1', at: '', seq: 1 };
    const planned = ['fetch', 'kind', 'call', 'file'].map((id) => ({ id, title: id }));
    const events = [
      { ...base, type: 'run.started', data: { title: 't', state: 'EXECUTE', parent: null, nodes: planned } },
      { ...base, type: 'call.started', data: { node: 'fetch', call: 'c1', attempt: 1 } },
      { ...base, type: 'call.ended', data: { node: 'fetch', call: 'c1', status: 'ok', settles: 'done' } },
      { ...base, type: 'call.started', data: { node: 'kind', call: 'c2', attempt: 1 } },
      { ...base, type: 'call.ended', data: { node: 'kind', call: 'c2', status: 'failed', settles: 'failed' } },
      { ...base, type: 'node.settled', data: { node: 'call', status: 'skipped', reason: '' } },
    ] as unknown as Event[];
    const svg = toSvg(withRun(pictureOf(triage), events));
    const marks = [...svg.matchAll(/id="node-(\w+)".*?class="mark"[^>]*>([^<]*)</g)].map(([, id, mark]) => [id, mark]);
    expect(marks).toEqual([
      ['fetch', '✓'],
      ['kind', '✗'],
      ['call', '–'],
      ['file', '○'],
    ]);
  });
});

/** Tags that are not closed in the order in which they were opened. */
function unclosedTags(xml: string): string[] {
  const open: string[] = [];
  for (const [, end, name = '', single] of xml.matchAll(/<(\/?)([a-z]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/g)) {
    if (single === '/') continue;
    if (end === '') open.push(name);
    else if (open.pop() !== name) return [`</${name}>`];
  }
  const tags = xml.match(/</g)?.length ?? 0;
  const parsed = xml.match(/<\/?[a-z]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/g)?.length ?? 0;
  return tags === parsed ? open : ['a tag that cannot be parsed'];
}

describe('a large picture', () => {
  const step = (id: string): { id: string; title: string; about: string; shape: 'step' } => ({
    id,
    title: id,
    about: 'files.list',
    shape: 'step',
  });
  const edge = (
    from: string,
    to: string,
    isBack = false,
  ): { from: string; to: string; label: string; isBack: boolean } => ({
    from,
    to,
    label: isBack ? 'again' : '',
    isBack,
  });

  it('has every node below those before it, with no two on top of each other, and is not too wide', () => {
    const nodes = Array.from({ length: 200 }, (_, index) => step(`n${index}`));
    const forward = nodes.flatMap((_, index) =>
      index < 5 ? [] : [edge(`n${Math.floor(index / 3)}`, `n${index}`), edge(`n${index - 4}`, `n${index}`)],
    );
    const edges = [...forward, edge('n199', 'n0', true), edge('n7', 'n7', true)];
    const drawn = layoutLarge({ title: '', nodes, edges }, 170);
    const boxes = new Map(drawn.nodes.map((box) => [box.node.id, box]));
    for (const { from, to } of forward) expect(boxes.get(to)?.y).toBeGreaterThan(boxes.get(from)?.y ?? Infinity);
    drawn.nodes.forEach((box, at) => {
      expect(drawn.nodes.slice(at + 1).filter((other) => overlap(box, other))).toEqual([]);
      expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= drawn.width && box.y + box.height <= drawn.height).toBe(
        true,
      );
    });
    expect(drawn.width).toBeLessThan(12 * 200);
    expect(drawn.edges).toHaveLength(edges.length);
  });

  it('also ends for a cycle that is not declared as one', () => {
    const drawn = layoutLarge({ title: '', nodes: [step('a'), step('b')], edges: [edge('a', 'b'), edge('b', 'a')] });
    expect(drawn.nodes).toHaveLength(2);
  });
});
