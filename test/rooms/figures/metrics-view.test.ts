import { describe, expect, it } from 'vitest';
import { metricsView, queryMetrics } from '../../../src/rooms/figures/metrics-view.ts';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import { runView } from '../../../src/kit/views/run-view.ts';
import type { Figure } from '../../../src/rooms/figures/figures.ts';

const sha256 = 'a'.repeat(64);
const input = { name: 'a.md', title: 'A', dir: null, body: sha256, fields: {}, first_line: 1 };
const planned = { by: 'procedure', graph: 'plan', sha256, input: null, criteria: [], tools: [], targets: [] };

const story: NewEvent[] = [
  { type: 'run.started', run: 'a', data: { title: 'A', graph: { id: 'oka.task', sha256 }, input } },
  {
    type: 'call.started',
    run: 'a',
    data: { call: 'a.p.0.1', node: 'p', tool: 'task.plan', class: 'read', input: null },
  },
  {
    type: 'call.ended',
    run: 'a',
    data: { call: 'a.p.0.1', node: 'p', status: 'ok', output: planned, usage: { tokens_in: 7 } },
  },
  { type: 'run.ended', run: 'a', data: { status: 'done', reason: 'done' } },
];
const correction: NewEvent = { type: 'run.corrected', run: 'a', data: { text: 'Not so.', by: 'b' } };

describe('the tally of a day', () => {
  it('counts a task that is corrected after its end once, and all that was known of it', () => {
    const before = figuresAfter(story);
    const after = figuresAfter([...story, correction]);
    expect(valuesOf(before)).toMatchObject({ completion: 1, corrections: 0, 'first try': 1, reuse: 1, tokens: 7 });
    expect(valuesOf(after)).toMatchObject({ completion: 1, corrections: 1, 'first try': 0, reuse: 1, tokens: 7 });
  });
});

function figuresAfter(events: readonly NewEvent[]): Figure[] {
  const rows = memoryRows();
  events.forEach((given, index) => {
    const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const event = { cause: null, v: 1, ...given, seq: index + 1, at, pen: 'run' } as unknown as Event;
    event.data = { nodes: [], parent: null, depth: 0, ...event.data } as never;
    for (const view of [runView, metricsView]) view.take({ event, text: () => null }, rows);
  });
  return queryMetrics(rows, null).figures;
}

const valuesOf = (figures: readonly Figure[]): Record<string, number | null> =>
  Object.fromEntries(figures.map(({ name, value }) => [name, value]));
