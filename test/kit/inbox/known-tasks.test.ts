import { expect, it } from 'vitest';
import { knownTasks, receivedCheck } from '../../../src/kit/inbox/known-tasks.ts';
import { viewFolds } from '../../../src/kit/house/open-views.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { writeViews } from '../../../src/kit/rows/views-writer.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { memoryFolder } from '../../support/test-folders.ts';

const body = { sha256: 'a'.repeat(64), bytes: 1, media: 'text/markdown' };

it('a task is known however many have come since, and what is remembered of them stays small', async () => {
  const home = homeAt(memoryFolder('oka-known-'));
  setUp(home);
  const stores = await openStores(home, await loadConfig(home));
  const received = (first: number, count: number): NewEvent[] =>
    Array.from({ length: count }, (_, index) => {
      const run = `task-${first + index}`;
      return { type: 'task.received', run, data: { name: `${run}.md`, body } };
    });
  const started: NewEvent = {
    type: 'run.started',
    run: 'task-0',
    data: { title: 'First', graph: { id: 'oka.task', sha256: 'b'.repeat(64) }, nodes: [], input: {} },
  };
  const idsNow = (): readonly string[] => stores.projections.stateOf(knownTasks).ids;
  const isReceived = receivedCheck(home, idsNow);
  await stores.ledger.append([...received(0, 1), started]);
  await stores.ledger.append(received(1, 900));
  expect([isReceived('task-0'), isReceived('task-900'), isReceived('task-901')]).toEqual([true, true, false]);
  await stores.ledger.append(received(901, 600));
  await writeViews(home, await viewFolds(), new AbortController().signal);
  expect(idsNow()).toHaveLength(1000);
  expect(idsNow()).not.toContain('task-0');
  expect([isReceived('task-0'), isReceived('task-1500'), isReceived('task-1501')]).toEqual([true, true, false]);
  await stores.close();
});
