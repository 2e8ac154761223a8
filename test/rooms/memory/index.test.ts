import { describe, expect, it } from 'vitest';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { Recall } from '../../../src/rooms/memory/recall/recall.ts';
import { search } from '../../../src/rooms/memory/recall/search-memory.ts';
import { type MemoryHome, memoryHome, recallOf } from '../../support/memory.ts';

const kept = (id: string, text: string, supersedes: string[] = []): NewEvent => ({
  type: 'fact.kept',
  data: { id, text, namespace: 'general', source: 'run', evidence: [{ run: 'a', seq: 1 }], supersedes },
});

/** Writes as maintenance does: with the seq of the run ledger that it had read. */
async function maintain(home: MemoryHome, cause: number, ...events: NewEvent[]): Promise<void> {
  const ledger = await openLedger(home.options.ledgers.maintenance, 'maintenance', { redact: (text) => text });
  await ledger.append(events.map((event) => ({ ...event, cause })));
  await ledger.close();
}

const shown = (recall: Recall): Record<string, string | undefined> =>
  Object.fromEntries([...recall.facts.values()].map(({ fact }) => [fact.id, fact.superseded_by ?? fact.text]));

/** As it grew, and as it is made anew from the first event on. */
async function both(home: MemoryHome, check: (recall: Recall) => unknown): Promise<unknown[]> {
  const recall = await recallOf(home);
  const grown = await check(recall);
  await recall.rebuild();
  const anew = await check(recall);
  await recall.close();
  return [grown, anew];
}

describe('facts of two pens in one index', () => {
  it('what a person forgets stays forgotten when the index is made anew', async () => {
    await using home = await memoryHome();
    const [first = 0] = await home.append({ type: 'worker.stopped', data: { reason: 'x' } });
    await maintain(home, first, kept('m1', 'The key is under the pot.'), kept('m2', 'The shed is green.'));
    await (await recallOf(home)).close();
    await home.append({ type: 'fact.forgotten', data: { facts: ['m1'], why: 'deleted' } });
    const [grown, anew] = await both(home, shown);
    expect(grown).toEqual({ m2: 'The shed is green.' });
    expect(anew).toEqual(grown);
  });

  it('what a person replaced stays replaced, and what maintenance learned after holds', async () => {
    await using home = await memoryHome();
    const [first = 0] = await home.append({ type: 'worker.stopped', data: { reason: 'x' } });
    await maintain(home, first, kept('m1', 'Prefer tabs.'));
    await (await recallOf(home)).close();
    const seqs = await home.append(kept('h1', 'Prefer spaces.', ['m1']), {
      type: 'fact.forgotten',
      data: { facts: ['h2'], why: 'deleted' },
    });
    await maintain(home, seqs.at(-1) ?? 0, kept('h2', 'The shed is green.'));
    const [grown, anew] = await both(home, shown);
    expect(grown).toEqual({ m1: 'h1', h1: 'Prefer spaces.', h2: 'The shed is green.' });
    expect(anew).toEqual(grown);
  });

  it('what maintenance wrote without knowing what a person said changes nothing of that', async () => {
    await using home = await memoryHome();
    const [, last = 0] = await home.append(kept('m1', 'The key is here.'), {
      type: 'fact.forgotten',
      data: { facts: ['m1'], why: 'deleted' },
    });
    await maintain(home, last - 1, kept('m1', 'The key is here.'), {
      type: 'fact.forgotten',
      data: { facts: ['m9'], why: 'unused' },
    });
    const [grown, anew] = await both(home, shown);
    expect([grown, anew]).toEqual([{}, {}]);
  });

  it('evidence of what was learned names the run ledger alone', async () => {
    await using home = await memoryHome();
    await home.append({ type: 'worker.stopped', data: { reason: 'x' } });
    await maintain(home, 1, kept('m1', 'The key is here.'));
    const evidence = (recall: Recall): unknown => recall.facts.get('m1')?.fact.evidence;
    expect(await both(home, evidence)).toEqual([[{ run: 'a', seq: 1 }], [{ run: 'a', seq: 1 }]]);
  });

  it('a fact is found and told in its better words, also when it is confirmed later, and in its own when that is undone', async () => {
    await using home = await memoryHome();
    await home.append({ type: 'worker.stopped', data: { reason: 'x' } });
    const reword = (text: string): NewEvent => ({ type: 'fact.reworded', data: { fact: 'm1', text, model: 'm' } });
    await maintain(
      home,
      1,
      kept('m1', 'Key: under the pot.'),
      reword('The key is under the pot.'),
      kept('m1', 'Key: under the pot.'),
    );
    const told = async (recall: Recall): Promise<unknown> => {
      const { found } = await search(recall, { query: 'key pot', limit: 5, only: 'facts' });
      return [shown(recall), found.map(({ text }) => text)];
    };
    const better = [{ m1: 'The key is under the pot.' }, ['The key is under the pot.']];
    expect(await both(home, told)).toEqual([better, better]);
    await maintain(home, 1, reword('Key: under the pot.'));
    const own = [{ m1: 'Key: under the pot.' }, ['Key: under the pot.']];
    expect(await both(home, told)).toEqual([own, own]);
  });
});
