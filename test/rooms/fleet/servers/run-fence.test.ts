import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Appended, claimRun, type RunFence, type RunLog } from '../../../../src/rooms/fleet/servers/run-fence.ts';
import { foldHistory, type StoredEvent, type StoredMessage } from '../../../../src/rooms/fleet/servers/run-owner.ts';
import type { RunMessage } from '../../../../src/core/schema/fleet.ts';
import { timesOf } from '../../../support/thorough.ts';

const RUN = 'r';
const CALLS = ['r.a.1', 'r.b.1', 'r.c.1'];
const stream = { name: 'OKA_RUNS', created: '2026-01-01T00:00:00.000Z' };

/** What happens to an append on its way; the last fault repeats never: afterwards all is well. */
type Fault = 'none' | 'request lost' | 'answer lost';
type Act = { worker: string; epoch: number; call: string; logLength: number };
type World = { log: StoredMessage[]; acts: Act[]; acknowledged: { epoch: number; events: readonly StoredEvent[] }[] };

describe('the fence of a run, over a model of the stream', () => {
  it('lets at most one worker act per epoch, on intents that are in the stream, and does nothing twice', async () => {
    await fc.assert(simulation(true), { numRuns: timesOf(5000, 100) });
  });

  it('is what makes it so: without the expected sequence the same check finds faults', async () => {
    const found = await fc.check(simulation(false), { numRuns: 500 });
    expect(found.failed).toBe(true);
  });

  it('a worker that was refused acknowledges nothing any more', async () => {
    const { log } = modelLog([], true);
    const first = await claim(log, 'one');
    const second = await claim(log, 'two');
    first.publish([started(CALLS[0] ?? '')]);
    await expect(first.acknowledged()).rejects.toThrow('belongs to another worker now');
    first.publish([started(CALLS[1] ?? '')]);
    await expect(first.acknowledged()).rejects.toThrow('belongs to another worker now');
    await first.lost;
    expect(await first.nextOwner()).toMatchObject({ worker: 'two', epoch: 2 });
    second.publish([started(CALLS[2] ?? '')]);
    await second.acknowledged();
    expect(foldHistory(await log.read(RUN)).events).toHaveLength(1);
  });

  it('a worker that publishes nothing learns of the next claim when it looks', async () => {
    const { log } = modelLog([], true);
    const first = await claim(log, 'one');
    await first.confirm();
    expect(first.isLost).toBe(false);
    await claim(log, 'two');
    await first.confirm();
    expect(first.isLost).toBe(true);
    await expect(first.acknowledged()).rejects.toThrow('belongs to another worker now');
  });

  it('a claim with a history that was read before reads nothing, and is refused when somebody claimed meanwhile', async () => {
    const { log } = modelLog([], true);
    const history = foldHistory(await log.read(RUN));
    const unread = { ...log, read: () => Promise.reject(new Error('it was read again')) };
    const options = { worker: 'one', process: 'one', version: '1' };
    expect(await claimRun(unread, RUN, options, history)).toMatchObject({ sequence: 1 });
    expect(await claimRun(unread, RUN, { ...options, worker: 'two' }, history)).toBeNull();
  });

  it('its end follows everything that was published before, and nothing follows it', async () => {
    const { log, stored } = modelLog([], true);
    const fence = await claim(log, 'one');
    fence.publish([started(CALLS[0] ?? '')]);
    const finished = fence.finish();
    fence.publish([started(CALLS[1] ?? '')]);
    await finished;
    fence.publish([started(CALLS[2] ?? '')]);
    await fence.acknowledged();
    expect(stored.map(({ message }) => message.kind)).toEqual(['claim', 'events', 'events', 'returned']);
    expect(foldHistory(stored).isReturned).toBe(true);
  });

  it('an append whose answer was lost is not appended again', async () => {
    const { log, stored } = modelLog(['none', 'answer lost', 'answer lost'], true);
    const fence = await claim(log, 'one');
    fence.publish([started(CALLS[0] ?? '')]);
    fence.publish([started(CALLS[1] ?? '')]);
    await fence.acknowledged();
    const { events } = foldHistory(stored);
    expect(events.map(({ data }) => (data as { call: string }).call)).toEqual(CALLS.slice(0, 2));
  });
});

function simulation(isFenced: boolean): fc.IAsyncProperty<[fc.Scheduler, Fault[], number]> {
  const fault = fc.constantFrom<Fault>('none', 'none', 'request lost', 'answer lost');
  return fc.asyncProperty(
    fc.scheduler(),
    fc.array(fault, { maxLength: 30 }),
    fc.integer({ min: 2, max: 4 }),
    async (scheduler, faults, workers) => {
      const { log, stored } = modelLog(faults, isFenced, scheduler);
      const world: World = { log: stored, acts: [], acknowledged: [] };
      const all = Array.from({ length: workers }, (_, index) => work(world, log, `w${index}`, scheduler));
      await scheduler.waitFor(Promise.all(all));
      checkWorld(world);
    },
  );
}

/** Claims the run, and makes each call that has no intent yet; nothing that is in doubt is repeated. */
async function work(world: World, log: RunLog, worker: string, scheduler: fc.Scheduler): Promise<void> {
  await scheduler.schedule(Promise.resolve(), `${worker} begins`);
  const claimed = await claimRun(log, RUN, { worker, process: worker, version: '1' });
  if (claimed === null) return;
  const { fence, history } = claimed;
  const intended = new Set(history.events.map(({ data }) => (data as { call: string }).call));
  for (const call of CALLS) {
    if (intended.has(call)) continue;
    const events = [started(call)];
    fence.publish(events);
    try {
      await fence.acknowledged();
    } catch {
      return;
    }
    world.acknowledged.push({ epoch: fence.owner.epoch, events });
    await scheduler.schedule(Promise.resolve(), `${worker} is paused before ${call}`);
    world.acts.push({ worker, epoch: fence.owner.epoch, call, logLength: world.log.length });
  }
}

function checkWorld({ log, acts, acknowledged }: World): void {
  let epoch = 0;
  for (const { message } of log) {
    if (message.kind === 'claim') expect(message.epoch).toBe(epoch + 1);
    else expect(message.epoch).toBe(epoch);
    epoch = message.epoch;
  }
  const inLog = log.flatMap(({ message }, index) =>
    message.kind === 'events' ? message.events.map((event) => ({ index, message, event })) : [],
  );
  for (const { worker, epoch: at, call, logLength } of acts) {
    const intent = inLog.find(({ event }) => (event.data as { call: string }).call === call);
    expect(intent?.message).toMatchObject({ worker, epoch: at });
    expect(intent?.index).toBeLessThan(logLength);
  }
  for (const { epoch: at, events } of acknowledged)
    for (const event of events)
      expect(inLog.some(({ event: found, message }) => found === event && message.epoch === at)).toBe(true);
  const owners = new Map<number, string>();
  for (const { worker, epoch: at } of acts) expect(owners.set(at, owners.get(at) ?? worker).get(at)).toBe(worker);
  expect(new Set(acts.map(({ call }) => call)).size).toBe(acts.length);
}

const started = (call: string): StoredEvent => ({ seq: 1, type: 'call.started', run: RUN, data: { call } });

async function claim(log: RunLog, worker: string): Promise<RunFence> {
  const claimed = await claimRun(log, RUN, { worker, process: worker, version: '1' });
  if (claimed === null) throw new Error('refused');
  return claimed.fence;
}

function modelLog(
  faults: readonly Fault[],
  isFenced: boolean,
  scheduler?: fc.Scheduler,
): { log: RunLog; stored: StoredMessage[] } {
  const stored: StoredMessage[] = [];
  const left = [...faults];
  const pass = async (what: string): Promise<void> => scheduler?.schedule(Promise.resolve(), what);
  const store = (last: number, message: RunMessage): Appended => {
    if (isFenced && last !== (stored.at(-1)?.sequence ?? 0)) return { kind: 'refused' };
    const sequence = stored.length + 1;
    stored.push({ sequence, message });
    return { kind: 'appended', sequence };
  };
  const log: RunLog = {
    stream,
    append: async (_, last, message) => {
      const fault = left.shift() ?? 'none';
      await pass('request');
      const answer: Appended = fault === 'request lost' ? { kind: 'unknown' } : store(last, message);
      await pass('answer');
      return fault === 'none' ? answer : { kind: 'unknown' };
    },
    last: async () => {
      await pass('last');
      return stored.at(-1) ?? null;
    },
    read: async () => {
      const messages = [...stored];
      await pass('read');
      return messages;
    },
    next: () => Promise.resolve(null),
    pause: () => pass('pause'),
  };
  return { log, stored };
}
