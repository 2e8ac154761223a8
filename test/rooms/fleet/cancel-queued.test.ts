import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Cancelling, cancelQueued } from '../../../src/rooms/fleet/cancel-queued.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { claimRun, type RunLog } from '../../../src/rooms/fleet/servers/run-fence.ts';
import { foldHistory } from '../../../src/rooms/fleet/servers/run-owner.ts';
import { claimAs, modelRunLog } from '../../support/model-run-log.ts';

let dir = '';
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'oka-cancel-'))));
afterEach(() => rmSync(dir, { recursive: true }));

type Sent = { results: string[]; removed: string[] };

function homeOver(log: RunLog, sent: Sent = { results: [], removed: [] }): Cancelling {
  return {
    name: 'home',
    fence: { worker: 'home', process: 'p', version: '1' },
    log,
    checkStream: async () => undefined,
    queue: { remove: async (id) => void sent.removed.push(id) },
    results: { send: async (to, { status }) => void sent.results.push(`${status} for ${to}`) },
  };
}

it('C1 of a cancellation and members that take the task at the same moment exactly one wins, whatever the order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 3 }), async (scheduler, members) => {
      const { log: model } = modelRunLog();
      const log: RunLog = {
        ...model,
        append: (...all) => scheduler.schedule(Promise.resolve()).then(() => model.append(...all)),
        read: (run) => scheduler.schedule(Promise.resolve()).then(() => model.read(run)),
        last: (run) => scheduler.schedule(Promise.resolve()).then(() => model.last(run)),
      };
      const ends = Promise.all([
        cancelQueued(homeAt(dir), homeOver(log), 'task'),
        ...Array.from({ length: members }, (_, index) => take(log, `member-${index}`)),
      ]);
      await scheduler.waitFor(ends);
      const [isCancelled, ...taken] = await ends;
      expect(taken.some(Boolean)).toBe(!isCancelled);
      expect(foldHistory(await model.read('task')).isReturned).toBe(isCancelled);
    }),
  );
});

it('C2 a home that ended before the result was sent sends it when it is asked again', async () => {
  const { log } = modelRunLog();
  await (await claimAs(log, 'home')).finish();
  const sent: Sent = { results: [], removed: [] };
  expect(await cancelQueued(homeAt(dir), homeOver(log, sent), 'task')).toBe(true);
  expect(sent).toEqual({ results: ['cancelled for home'], removed: ['task'] });
  expect(readFileSync(join(dir, 'workspace/outbox/task/RESULT.md'), 'utf8')).toContain('nothing was done');
});

it('a task that somebody works on, or has done, is not cancelled here', async () => {
  const { log } = modelRunLog();
  const fence = await claimAs(log, 'other');
  expect(await cancelQueued(homeAt(dir), homeOver(log), 'task')).toBe(false);
  await fence.finish();
  expect(await cancelQueued(homeAt(dir), homeOver(log), 'task')).toBe(false);
  expect(existsSync(join(dir, 'workspace/outbox/task'))).toBe(false);
});

/** As a member does with a delivery; one that comes too late gets it again. Whether it could have acted. */
async function take(log: RunLog, worker: string): Promise<boolean> {
  for (;;) {
    const history = foldHistory(await log.read('task'));
    if (history.isReturned) return false;
    if (history.owner !== null && history.owner.worker !== 'home') return false; // that member works on it
    if ((await claimRun(log, 'task', { worker, process: worker, version: '1' }, history)) !== null) return true;
  }
}
