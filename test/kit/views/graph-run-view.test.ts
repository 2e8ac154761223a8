import { expect, it } from 'vitest';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { runsOfGraph } from '../../../src/kit/views/graph-run-view.ts';
import { openFoldedRows } from '../../support/folded-rows.ts';

const start = (run: string, id: string): NewEvent => ({
  type: 'run.started',
  run,
  data: { title: run, graph: { id, sha256: 'a'.repeat(64) } },
});

it('the runs of a graph are found from any event back, over several blocks of events', async () => {
  using folded = await openFoldedRows();
  folded.add(Array.from({ length: 700 }, (_, index) => start(`r${index + 1}`, index % 2 === 0 ? 'odd' : 'even')));
  const find = (before?: number): string[] =>
    runsOfGraph(folded.rows, { graph: 'odd', limit: 0, ...(before === undefined ? {} : { before }) }).map(
      ({ run }) => run,
    );
  const all = Array.from({ length: 350 }, (_, index) => `r${699 - 2 * index}`);
  expect(find()).toEqual(all);
  const seqs = runsOfGraph(folded.rows, { graph: 'odd', limit: 0 }).map(({ first }) => first);
  for (const before of [1, 2, 255, 256, 257, 511, 512, 513, 699, 700, 5000])
    expect(find(before)).toEqual(all.filter((_, index) => (seqs[index] ?? 0) < before));
});
