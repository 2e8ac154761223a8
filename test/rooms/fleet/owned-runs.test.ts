import { describe, expect, it } from 'vitest';
import { fencedLedger } from '../../../src/rooms/fleet/fenced-stores.ts';
import { type OwnedRuns, ownedRuns } from '../../../src/rooms/fleet/owned-runs.ts';
import type { LedgerPort } from '../../../src/kit/ports/port-types.ts';
import type { RunLog } from '../../../src/rooms/fleet/servers/run-fence.ts';
import { foldHistory, type StoredMessage } from '../../../src/rooms/fleet/servers/run-owner.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import { claimAs, modelRunLog } from '../../support/model-run-log.ts';

describe('the ledger behind the fence', () => {
  it('O1 flushes an event of an owned run only when the fence has acknowledged it, too', async () => {
    const { ledger, owned, log, steps } = await setting();
    owned.add(await claimAs(log, 'one'));
    await ledger.flush([ledger.stage(paused('task'))]);
    expect(steps).toEqual(['on disk: run.paused', 'in the stream: run.paused']);
  });

  it('O1 rejects the flush when another member has claimed the run, and reports the loss at once', async () => {
    const { ledger, owned, log } = await setting();
    const fence = await claimAs(log, 'one');
    owned.add(fence);
    await claimAs(log, 'two');
    await expect(ledger.flush([ledger.stage(paused('task'))])).rejects.toMatchObject({ code: 'run-fenced' });
    await fence.lost;
    await ledger.flush([ledger.stage(paused('other'))]);
  });

  it('O3 stores the folder of the run before the stream has the event that it was written', async () => {
    const { ledger, owned, log, steps, stored } = await setting();
    owned.add(await claimAs(log, 'one'));
    const written = {
      type: 'desk.kept',
      run: 'task',
      data: { call: 'c', node: null, when: 'after', tree: 't' },
    } as const;
    await ledger.append(written);
    expect(steps).toEqual(['on disk: desk.kept', 'folder of task', 'in the stream: desk.kept']);
    expect(foldHistory(stored).desk).toBe('f'.repeat(64));
  });

  it('O4 puts the runs inside a task behind the same fence, and no others', async () => {
    const { ledger, owned, log, stored } = await setting();
    owned.add(await claimAs(log, 'one'));
    await ledger.append([startedIn('task.a', 'task'), paused('task.a'), startedIn('b', null), paused('b')]);
    expect(foldHistory(stored).events.map(({ run }) => run)).toEqual(['task.a', 'task.a']);
    expect(owned.runsOf('task')).toEqual(['task', 'task.a']);
  });

  it('O1 a claim that is over takes nothing away from a later one of the same task', async () => {
    const { ledger, owned, log } = await setting();
    const first = await claimAs(log, 'one');
    owned.add(first);
    const second = await claimAs(log, 'one');
    owned.add(second);
    owned.remove(first);
    expect(owned.get('task')).toBe(second);
    await claimAs(log, 'two');
    await expect(ledger.flush([ledger.stage(paused('task'))])).rejects.toMatchObject({ code: 'run-fenced' });
  });

  it.each(['before', 'after'])(
    'O5 a call of a run inside that began just %s its task was lost does not act',
    async (when) => {
      const { ledger, owned, log } = await setting();
      const fence = await claimAs(log, 'one');
      owned.add(fence);
      if (when === 'before') await ledger.append(startedIn('task.a', 'task'));
      await claimAs(log, 'two');
      owned.remove(fence);
      if (when === 'after') await ledger.append(startedIn('task.a', 'task'));
      await expect(ledger.flush([ledger.stage(started('task.a'))])).rejects.toMatchObject({ code: 'run-fenced' });
      await expect(ledger.flush([ledger.stage(started('task'))])).rejects.toMatchObject({ code: 'run-fenced' });
      await ledger.flush([ledger.stage(started('at-home')), ledger.stage(paused('task'))]);
      owned.add(await claimAs(log, 'one'));
      await ledger.flush([ledger.stage(started('task.a'))]);
    },
  );

  it('flushes as before when no run is owned', async () => {
    const { ledger, steps } = await setting();
    await ledger.flush([ledger.stage(paused('task'))]);
    expect(steps).toEqual(['on disk: run.paused']);
  });
});

type Setting = {
  ledger: LedgerPort;
  owned: OwnedRuns;
  log: RunLog;
  stored: StoredMessage[];
  steps: string[];
};

async function setting(): Promise<Setting> {
  const steps: string[] = [];
  const owned = ownedRuns({
    share: () => Promise.resolve(),
    storeFolder: (task) => {
      steps.push(`folder of ${task}`);
      return Promise.resolve('f'.repeat(64));
    },
  });
  const { log, stored } = modelRunLog((message) => {
    if (message.kind === 'events') for (const { type } of message.events) steps.push(`in the stream: ${type}`);
  });
  return { ledger: fencedLedger(diskLedger(steps, owned), owned), owned, log, stored, steps };
}

/** A ledger that only numbers events, and publishes them once they are flushed. */
function diskLedger(steps: string[], owned: OwnedRuns): LedgerPort {
  let seq = 0;
  const staged: Event[] = [];
  const stage = (event: NewEvent): Event => {
    seq += 1;
    const made = { run: null, at: '', pen: 'run', cause: null, v: 1, ...event, seq } as Event;
    staged.push(made);
    return made;
  };
  const flush = async (): Promise<void> => {
    await Promise.resolve();
    const batch = staged.splice(0);
    for (const { type } of batch) steps.push(`on disk: ${type}`);
    owned.publish(batch);
  };
  const append = async (events: NewEvent | readonly NewEvent[]): Promise<Event | Event[]> => {
    const made = Array.isArray(events) ? (events as NewEvent[]).map(stage) : stage(events as NewEvent);
    await flush();
    return made;
  };
  return { stage, flush, append } as unknown as LedgerPort;
}

const paused = (run: string): NewEvent => ({ type: 'run.paused', run, data: { reason: 'x' } });

const started = (run: string): NewEvent => ({
  type: 'call.started',
  run,
  data: { call: `${run}.a.0.1`, node: 'a', tool: 'shell', class: 'write_local', input: {} },
});

const startedIn = (run: string, parent: string | null): NewEvent => ({
  type: 'run.started',
  run,
  data: { title: 'x', parent, graph: { id: 'g', sha256: '0'.repeat(64) } },
});
