/** Random histories of a ledger: what is appended, when it is restarted or archived, and where that breaks off. */
import * as fc from 'fast-check';
import type { NewEvent } from '../../src/core/schema/event.ts';

/** What happens to the snapshot between two processes; a foreign one is complete, but of another ledger. */
export type Snapshot = (typeof snapshots)[number];
const snapshots = ['kept', 'lost', 'old', 'garbled', 'foreign'] as const;

export type Step =
  | { step: 'append'; events: NewEvent[]; together: boolean }
  | { step: 'restart'; snapshot: Snapshot }
  | {
      step: 'archive';
      /** Ends every run first, so that there is something to archive. */
      finish: boolean;
      /** How much of the past stays, in events. */
      stays: number;
      segmentBytes: number;
      /** Where it is interrupted: before it is recorded, or before the live file is cut. */
      breaks: 'never' | 'before record' | 'before cut';
      /** Appended while it is in progress. */
      meanwhile: NewEvent[];
    };

const run = fc.constantFrom('r0', 'r1', 'r2', 'r3');
const node = fc.constantFrom('n0', 'n1', 'n2');
const wait = fc.constantFrom('w0', 'w1', 'w2');
const text = fc.string({ maxLength: 12, unit: 'grapheme' });
const nodes = fc.uniqueArray(node, { maxLength: 3 }).map((ids) => ids.map((id) => ({ id, title: `step ${id}` })));
const settled = fc.constantFrom('done' as const, 'failed' as const, 'skipped' as const);
const awaited = fc.oneof(
  fc.record({
    kind: fc.constant('question' as const),
    text,
    options: fc.option(fc.array(text, { maxLength: 2 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('timer' as const), until: fc.constant('2030-01-01T00:00:00.000Z') }),
  fc.record({ kind: fc.constant('child' as const), run }),
);

export const newEvent: fc.Arbitrary<NewEvent> = fc.oneof(
  of('run.started', { title: text, graph: fc.constant({ id: 'g', sha256: '0'.repeat(64) }), nodes }),
  of('run.planned', { nodes, reason: text }),
  of('run.moved', { from: text, to: text, reason: text }),
  of('run.paused', { reason: text }),
  of('run.resumed', { reason: text }),
  of('run.ended', { status: fc.constantFrom('done', 'failed', 'cancelled'), reason: text }),
  of('node.settled', { node, status: settled, reason: text }),
  of('call.started', { call: fc.constant('c1'), node, tool: text, class: fc.constant('read'), input: fc.jsonValue() }),
  of('call.ended', {
    call: fc.constant('c1'),
    node,
    status: fc.constantFrom('ok', 'failed'),
    output: fc.jsonValue(),
    settles: fc.option(settled, { nil: undefined }),
  }),
  of('wait.opened', { wait, node: fc.option(node), for: awaited }),
  of('wait.closed', { wait, node: fc.option(node), answer: fc.constant({ verdict: 'answered' }) }),
  fc.record({ type: fc.constant('worker.stopped' as const), data: fc.record({ reason: text }) }),
);

export const life: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        step: fc.constant('append' as const),
        events: fc.array(newEvent, { minLength: 1, maxLength: 12 }),
        together: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.constant('restart' as const),
        snapshot: fc.constantFrom(...snapshots),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        step: fc.constant('archive' as const),
        finish: fc.boolean(),
        stays: fc.nat({ max: 15 }),
        segmentBytes: fc.integer({ min: 200, max: 5000 }),
        breaks: fc.constantFrom('never' as const, 'before record' as const, 'before cut' as const),
        meanwhile: fc.array(newEvent, { maxLength: 3 }),
      }),
    },
  ),
  { minLength: 2, maxLength: 14 },
);

function of(type: NewEvent['type'], data: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<NewEvent> {
  return fc.record({ type: fc.constant(type), run, data: fc.record(data) }) as fc.Arbitrary<NewEvent>;
}
