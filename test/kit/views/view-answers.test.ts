/** What queries answer has the shape that is documented, after every event of every golden ledger. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { viewFolds } from '../../../src/kit/house/open-views.ts';
import { IN_MEMORY } from '../../../src/core/ledger/fold-database.ts';
import { FoldStore } from '../../../src/core/ledger/fold-store.ts';
import { foldBatches } from '../../../src/core/ledger/follower.ts';
import type { Rows } from '../../../src/core/schema/rows.ts';
import { RunDetail, RunSummary, SecretUse, Slot, Waiting } from '../../../src/core/schema/view-answers.ts';
import { listRuns, runDetail } from '../../../src/kit/views/runs-query.ts';
import { secretUse } from '../../../src/kit/views/secret-view.ts';
import { slots } from '../../../src/kit/views/slot-view.ts';
import { listWaiting } from '../../../src/kit/views/waiting-query.ts';

const goldens = globSync(join(import.meta.dirname, '../../fixture/golden/v*.jsonl')).map((file) => [
  basename(file),
  file,
]);

type Answers = { schema: z.ZodType; of: (rows: Rows) => readonly unknown[] };

const answers: Record<string, Answers> = {
  RunSummary: { schema: RunSummary, of: (rows) => listRuns(rows, { all: true, limit: 0 }) },
  RunDetail: {
    schema: RunDetail,
    of: (rows) => listRuns(rows, { all: true, limit: 0 }).map(({ run }) => runDetail(rows, run)),
  },
  Waiting: { schema: Waiting, of: listWaiting },
  Slot: { schema: Slot, of: (rows) => slots(rows, { limit: 0 }) },
  SecretUse: { schema: SecretUse, of: (rows) => secretUse(rows, { limit: 0 }) },
};

describe('the answers of queries', () => {
  const seen = new Set<string>();

  it.each(goldens)('fit their schemas after every event of %s', async (_, run = '') => {
    await afterEveryEvent(run, (rows) => {
      for (const [name, { schema, of }] of Object.entries(answers))
        for (const answer of of(rows)) {
          expect(schema.parse(answer), name).toEqual(answer);
          seen.add(name);
        }
    });
  });

  it('are all among those that were compared', () => {
    expect([...seen].toSorted()).toEqual(Object.keys(answers).toSorted());
  });
});

async function afterEveryEvent(run: string, check: (rows: Rows) => void): Promise<void> {
  const { folds, shape } = await viewFolds();
  const store = FoldStore.open(IN_MEMORY, shape);
  try {
    for await (const _ of foldBatches(store, { ledgers: { run }, folds }, { batch: 1 })) check(store);
  } finally {
    store.close();
  }
}
