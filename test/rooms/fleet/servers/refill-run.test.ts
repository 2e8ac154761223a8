import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damageProblem } from '../../../../src/rooms/fleet/can-replay.ts';
import { hasLostClaim, isOwnedElsewhere, refillRun } from '../../../../src/rooms/fleet/servers/refill-run.ts';
import {
  type Appended,
  type Claim,
  claimRun,
  type FenceOptions,
  type RunLog,
} from '../../../../src/rooms/fleet/servers/run-fence.ts';
import {
  foldHistory,
  type RunHistory,
  type StoredEvent,
  type StoredMessage,
  UNREADABLE,
} from '../../../../src/rooms/fleet/servers/run-owner.ts';
import type { RunMessage } from '../../../../src/core/schema/fleet.ts';
import { timesOf } from '../../../support/thorough.ts';

const RUN = 'r';
const CALLS = ['r.a.1', 'r.b.1', 'r.c.1', 'r.d.1'];

/** What a switched-off guard is replaced with: the check has to find faults then. */
const GUARDS = ['isFenced', 'noticesDamage', 'awaitsWholeRefill', 'knowsLaterOwners', 'awaitsMembers'] as const;
type Guards = Record<(typeof GUARDS)[number], boolean>;
const ALL = Object.fromEntries(GUARDS.map((guard) => [guard, true])) as Guards;

describe('a run whose messages, or whose stream, get lost, over a model of the stream', () => {
  it('has one owner per epoch and does nothing twice, across refills, kills in them, and members that wake up', async () => {
    await fc.assert(simulation(ALL), { numRuns: timesOf(5000, 100) });
  });

  it.each(GUARDS)('needs every guard: without %s the same check finds faults', async (guard) => {
    const found = await fc.check(simulation({ ...ALL, [guard]: false }), { numRuns: 20_000, endOnFailure: true });
    expect(found.failed).toBe(true);
  });

  it('W1 a message that is gone, or was changed, is noticed, wherever it was', async () => {
    const { log, stored } = quietStream();
    await publish(await claim(log, 'one'), CALLS.slice(0, 2));
    await publish(await claim(log, 'two'), CALLS.slice(2));
    const whole = [...stored];
    for (const index of whole.keys()) {
      const { damage, owner } = foldHistory(whole.toSpliced(index, 1));
      expect(damage).toEqual(index === whole.length - 1 ? null : expect.stringContaining('are missing'));
      expect(owner?.worker).toBe('two'); // also when its claim is gone
      const changed = whole.map((each, at) => (at === index ? { ...each, isChanged: true } : each));
      expect(foldHistory(changed).damage).toContain('is not what was published');
    }
    expect(foldHistory(whole).damage).toBeNull();
    stored.splice(1, 1);
    await expect(claim(log, 'three')).rejects.toThrow('damaged');
  });

  it('W2 a refill counts when all of it is there, and replaces what was before it', async () => {
    const { log, stored } = quietStream();
    await publish(await claim(log, 'one'), CALLS.slice(0, 2));
    stored.splice(1, 1);
    const events = Array.from({ length: 120 }, (_, index) => started(index + 1, `r.n.${index + 1}`));
    const history = foldHistory(await log.read(RUN));
    await refillRun(log, { run: RUN, epoch: 1 }, as('one'), history, { events, desk: null, isReturned: false });
    for (let length = 3; length < stored.length; length += 1)
      expect(foldHistory(stored.slice(0, length)).damage).toContain('of 120 events');
    const refilled = foldHistory(stored);
    expect(refilled).toMatchObject({ damage: null, events, epoch: 2, known: 1, owner: { worker: 'one', epoch: 2 } });
    expect((await claim(log, 'two')).fence.owner.epoch).toBe(3);
  });
});

type Act = { worker: string; epoch: number; call: string };
/** `joined`: the stream that it has refilled. */
type Member = { name: string; events: StoredEvent[]; epoch: number; joined: string };

function simulation(guards: Guards): fc.IAsyncProperty<unknown[]> {
  const step = fc.record({ member: fc.integer({ min: 0, max: 2 }), appends: fc.integer({ min: 1, max: 6 }) });
  return fc.asyncProperty(
    fc.scheduler(),
    fc.array(step, { minLength: 3, maxLength: 12 }),
    fc.array(fc.nat(), { maxLength: 3 }),
    fc.integer({ min: 0, max: guards.awaitsMembers && guards !== ALL ? 0 : 2 }),
    async (scheduler, steps, losses, recreations) => {
      const stream = modelStream(guards, scheduler);
      const { stored } = stream;
      const acts: Act[] = [];
      const members = ['a', 'b', 'c'].map((name): Member => ({ name, events: [], epoch: 0, joined: stream.created() }));
      const common = { guards, stream, members, acts, scheduler };
      const living = members.map(async (member, at) => {
        for (const [index, step] of steps.entries()) // one process after another: the pen
          if (step.member === at) await live(member, { ...common, appends: step.appends, process: `p${index}` });
      });
      const losing = losses.map(async (which) => {
        await scheduler.schedule(Promise.resolve(), 'a message gets lost');
        if (stored.length > 1) stored.splice(which % (stored.length - 1), 1); // all but the last
      });
      const recreating = Array.from({ length: recreations }, async () => {
        await scheduler.schedule(Promise.resolve(), 'the stream is created again');
        stream.recreate();
      });
      await scheduler.waitFor(Promise.all([...living, ...losing, ...recreating]));
      checkActs(acts);
    },
  );
}

type Life = {
  guards: Guards;
  stream: ModelStream;
  members: readonly Member[];
  acts: Act[];
  scheduler: fc.Scheduler;
  /** After so many appends the process is killed. */
  appends: number;
  process: string;
};

/** One process of a member: it refills what it owned last if that is damaged, or claims the run, and makes calls. */
async function live(member: Member, life: Life): Promise<void> {
  const { guards, stream, members, acts, scheduler, appends, process } = life;
  const options = { worker: member.name, process, version: '1' };
  const isReady = (): boolean =>
    member.joined === stream.created() &&
    (!guards.awaitsMembers || members.every(({ epoch, joined }) => epoch === 0 || joined === stream.created()));
  await scheduler.schedule(Promise.resolve(), `${member.name} starts`);
  try {
    const log = killedAfter(stream.logFor(stream.created()), appends);
    await repairIfNeeded(member, log, options, guards);
    member.joined = log.stream.created;
    const history = toHistory(await log.read(RUN), guards);
    if (!isReady() || (guards.noticesDamage && damageProblem(history, member.epoch) !== null)) return;
    const claimed = await claimRun(log, RUN, options, { ...history, damage: null });
    if (claimed === null || !isReady()) return;
    await begin(member, claimed);
    for (const call of CALLS) {
      if (member.events.some(({ data }) => (data as { call: string }).call === call)) continue;
      const event = started(member.events.length + 1, call);
      member.events.push(event); // on its disk, before the stream has it
      claimed.fence.publish([event]);
      await claimed.fence.acknowledged();
      await scheduler.schedule(Promise.resolve(), `${member.name} is paused before ${call}`);
      acts.push({ worker: member.name, epoch: claimed.fence.owner.epoch, call });
    }
  } catch {
    // it was killed, or refused
  }
}

async function repairIfNeeded(member: Member, log: RunLog, options: FenceOptions, guards: Guards): Promise<void> {
  const history = toHistory(await log.read(RUN), guards);
  const known = { run: RUN, epoch: member.epoch };
  const isLater = isOwnedElsewhere(history, known, member.name) && guards.knowsLaterOwners;
  if (member.epoch === 0 || isLater) return;
  if (history.damage === null && !hasLostClaim(history, known, member.name)) return;
  const isDone = await refillRun(log, known, options, history, {
    events: [...member.events],
    desk: null,
    isReturned: false,
  });
  if (!isDone) throw new Error('somebody was faster; it is given again');
}

/** B1, T1: it goes on with its own ledger if that has all of the run, else with copies. */
async function begin(member: Member, { history, fence }: Claim): Promise<void> {
  const isAllHere = history.claims.every(({ epoch, worker }) => epoch <= member.epoch || worker === member.name);
  if (member.epoch === 0 || !isAllHere) member.events = [...history.events];
  else {
    const published = new Set(history.events.map(({ seq }) => seq));
    fence.publish(member.events.filter(({ seq }) => !published.has(seq)));
  }
  member.epoch = fence.owner.epoch;
  await fence.acknowledged();
}

/** Without its guard, a refill counts as soon as it begins. */
function toHistory(messages: StoredMessage[], { awaitsWholeRefill }: Guards): RunHistory {
  const history = foldHistory(messages);
  const claimAt = messages.findLastIndex(({ message }) => message.kind === 'claim' && message.refill !== undefined);
  if (awaitsWholeRefill || history.damage?.startsWith('a refill') !== true) return history;
  const events = messages.slice(claimAt).flatMap(({ message }) => (message.kind === 'events' ? message.events : []));
  return { ...history, damage: null, events };
}

function checkActs(acts: readonly Act[]): void {
  const owners = new Map<number, string>();
  for (const { worker, epoch } of acts) expect(owners.set(epoch, owners.get(epoch) ?? worker).get(epoch)).toBe(worker);
  expect(new Set(acts.map(({ call }) => call)).size).toBe(acts.length);
}

function killedAfter(log: RunLog, appends: number): RunLog {
  let left = appends;
  return {
    ...log,
    append: async (...message) => {
      if (left-- <= 0) throw new Error('it was killed');
      return log.append(...message);
    },
  };
}

const started = (seq: number, call: string): StoredEvent => ({ seq, type: 'call.started', run: RUN, data: { call } });
const as = (worker: string): FenceOptions => ({ worker, process: worker, version: '1' });

async function claim(log: RunLog, worker: string): Promise<Claim> {
  return (await claimRun(log, RUN, as(worker))) ?? Promise.reject(new Error('refused'));
}

async function publish({ fence }: Claim, calls: readonly string[]): Promise<void> {
  for (const [index, call] of calls.entries()) {
    fence.publish([started(index + 1, call)]);
    await fence.acknowledged();
  }
}

type ModelStream = {
  stored: StoredMessage[];
  /** The log of the stream, as it is seen by a process that knows the one which was created then. */
  logFor(created: string): RunLog;
  created(): string;
  /** It is gone, and another one is there; its sequences begin far above. */
  recreate(): void;
};

const FAR = 1000;

function modelStream({ isFenced }: Pick<Guards, 'isFenced'> = ALL, scheduler?: fc.Scheduler): ModelStream {
  const stored: StoredMessage[] = [];
  const pass = async (what: string): Promise<void> => scheduler?.schedule(Promise.resolve(), what);
  let [next, generation] = [1, 0];
  const append = async (last: number, message: RunMessage): Promise<Appended> => {
    await pass('request');
    const now = stored.at(-1)?.sequence ?? 0;
    if (isFenced && last !== now) return { kind: 'refused' };
    stored.push({ sequence: next, after: now, message });
    const sequence = next++;
    await pass('answer');
    return { kind: 'appended', sequence };
  };
  const seenBy = (created: string, each: StoredMessage): StoredMessage => {
    const { worker, kind } = each.message;
    const isOther = kind === 'claim' && each.message.stream.created !== created;
    return isOther ? { ...each, message: { kind: 'returned', worker, process: UNREADABLE, epoch: 1 } } : each;
  };
  return {
    stored,
    created: () => new Date(generation).toISOString(),
    recreate: () => {
      stored.length = 0;
      generation += 1;
      next += FAR;
    },
    logFor: (created) => ({
      stream: { name: 'OKA_RUNS', created },
      append: (_, last, message) => append(last, message),
      last: async () => stored.at(-1) ?? null,
      read: async () => {
        const messages = stored.map((each) => seenBy(created, each));
        await pass('read');
        return messages;
      },
      next: () => Promise.resolve(null),
      pause: () => pass('pause'),
    }),
  };
}

function quietStream(): { log: RunLog; stored: StoredMessage[] } {
  const stream = modelStream();
  return { stored: stream.stored, log: stream.logFor(stream.created()) };
}
