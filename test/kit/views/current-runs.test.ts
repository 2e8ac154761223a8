import { expect, it } from 'vitest';
import type { Rows } from '../../../src/core/schema/rows.ts';
import { listCurrentRuns } from '../../../src/kit/views/current-runs.ts';
import { rowKey, type RunRow } from '../../../src/kit/views/run-rows.ts';

type Kind = 'child' | 'approval' | 'timer';
const child = (status: RunRow['status'], ...waits: Kind[]): [RunRow['status'], Kind[]] => [status, waits];

/** A task that waits for the runs inside it. */
function statusOf(top: [RunRow['status'], Kind[]], ...inside: [RunRow['status'], Kind[]][]): string | undefined {
  const stored = [top, ...inside].map(([status, kinds], index) => ({
    run: `run-${index}`,
    root: 'run-0',
    parent: index === 0 ? null : 'run-0',
    title: 'A task',
    status,
    nodes: [],
    waits: kinds.map((kind) => ({ for: kind === 'child' ? { kind, run: `run-${index + 1}` } : { kind } })),
    spent: { tokens: 0, usd: 0, calls: 0, failed_calls: 0 },
  }));
  const values = new Map<string, unknown>(
    stored.flatMap((row, index) => [
      [rowKey(index + 1), row],
      [`run/id/${row.run}`, index + 1],
    ]),
  );
  values.set(
    'run/open',
    stored.map((_, index) => index + 1),
  );
  const rows = { get: (key: string) => values.get(key) } as unknown as Rows;
  return listCurrentRuns(rows)[0]?.status;
}

it('a task whose plan is carried out is running, although it waits for the run that does so', () => {
  expect(statusOf(child('blocked', 'child'), child('running'))).toBe('running');
});

it('one whose plan waits for a person is blocked, and one whose plan is paused is paused', () => {
  expect(statusOf(child('blocked', 'child'), child('blocked', 'approval'))).toBe('blocked');
  expect(statusOf(child('blocked', 'child'), child('blocked', 'child'), child('paused'))).toBe('paused');
});

it('one that waits for somebody itself is blocked, whatever the runs inside do', () => {
  expect(statusOf(child('blocked', 'child', 'approval'), child('running'))).toBe('blocked');
  expect(statusOf(child('running'))).toBe('running');
});
