import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { archiveRuns } from '../../../../src/core/ledger/archive-runs.ts';
import { openLedger } from '../../../../src/core/ledger/ledger.ts';
import { replicateLedgers, type Progress } from '../../../../src/rooms/replica/copy/replicate-ledgers.ts';
import { OkaError } from '../../../../src/core/schema/errors.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import {
  caughtUp,
  faultsOf,
  filesIn,
  many,
  memoryReplica,
  noteEvent,
  portsFor,
  testTime,
  write,
} from '../../../support/replica.ts';

describe('follow', () => {
  it('brings both ledgers over, every event once, whole and in order', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(520, 'a'));
    await write(files.maintenance, 'maintenance', many(30, 'm'));
    const replica = memoryReplica();
    expect(await caughtUp(portsFor(files, replica))).toEqual({ kind: 'caught-up' });
    expect(await faultsOf(files, replica.events)).toEqual([]);
    expect(replica.calls.append).toBe(7);
  });

  it('R1 lost requests and lost answers change nothing: each event is there once', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(2000, 'a'));
    const replica = memoryReplica();
    let asked = 0;
    replica.mishap = () =>
      (['none', 'lost answer', 'none', 'none', 'lost request'] as const)[(asked += 1) % 5] ?? 'none';
    expect(await caughtUp(portsFor(files, replica, { limits: { events: 40, bytes: 1e6 } }))).toEqual({
      kind: 'caught-up',
    });
    expect(await faultsOf(files, replica.events)).toEqual([]);
  });

  it('R1 a replica that was set back is filled up again from where it is', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(300, 'a'));
    const replica = memoryReplica();
    await caughtUp(portsFor(files, replica));
    replica.events.run.length = 120;
    await caughtUp(portsFor(files, replica));
    expect(await faultsOf(files, replica.events)).toEqual([]);
  });

  it('R1 a gap leads back to what the replica has', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(300, 'a'));
    const replica = memoryReplica();
    const whole = replica.append.bind(replica);
    let once = true;
    replica.append = (of, events, signal) => {
      if (once && replica.events.run.length === 200) {
        once = false;
        replica.events.run.length = 50; // it lost something while it was being followed
      }
      return whole(of, events, signal);
    };
    expect(await caughtUp(portsFor(files, replica))).toEqual({ kind: 'caught-up' });
    expect(once).toBe(false);
    expect(await faultsOf(files, replica.events)).toEqual([]);
  });

  it('R2 a replica with another history is left as it is, and that is said with what to do', async () => {
    using folder = temporaryFolder();
    using other = temporaryFolder();
    await write(filesIn(other.dir).run, 'run', many(10, 'another home'));
    const replica = memoryReplica();
    await caughtUp(portsFor(filesIn(other.dir), replica));
    const before = structuredClone(replica.events);
    for (const events of [5, 40]) {
      await write(filesIn(folder.dir).run, 'run', many(events, 'this home'));
      expect(await caughtUp(portsFor(filesIn(folder.dir), replica))).toMatchObject({
        kind: 'stopped',
        why: expect.stringContaining('another history'),
        fix: expect.stringContaining('replica.ledger'),
      });
      expect(replica.events).toEqual(before);
    }
    expect(replica.calls.append).toBe(1);
  });

  it('R2 a fork that comes to light while sending stops it for good', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(10, 'a'));
    const replica = memoryReplica();
    replica.append = async () => ({ kind: 'broken', seq: 4 });
    expect(await caughtUp(portsFor(files, replica))).toMatchObject({ kind: 'stopped' });
    replica.append = async () => ({ kind: 'fork', seq: 4, theirs: 'a', ours: 'b' });
    expect(await caughtUp(portsFor(files, replica))).toMatchObject({ kind: 'stopped' });
  });

  it('a replica that takes a part of a batch gets the rest', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(250, 'a'));
    const replica = memoryReplica();
    const whole = replica.append.bind(replica);
    replica.append = (of, events, signal) => whole(of, events.slice(0, 7), signal);
    expect(await caughtUp(portsFor(files, replica))).toEqual({ kind: 'caught-up' });
    expect(await faultsOf(files, replica.events)).toEqual([]);
  });

  it('R4 a replica that is down costs one request a try, with pauses that grow to minutes', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(100, 'a'));
    const replica = memoryReplica();
    replica.mishap = () => 'lost request';
    const time = testTime();
    const told: Progress[] = [];
    const ports = portsFor(files, replica, { ...time, report: (each) => void told.push(each) });
    expect(await caughtUp(ports, 15)).toMatchObject({ kind: 'unreachable', why: 'it is down' });
    expect(replica.calls).toEqual({ head: 15, append: 0, page: 0 });
    expect(time.slept.slice(0, 4)).toEqual([750, 1500, 3000, 6000]);
    expect(Math.max(...time.slept)).toBe(225_000);
    expect(told.at(-1)).toMatchObject({ kind: 'waiting', failures: 14 });
  });

  it('what does not get better by trying again is said at once: nothing is sent twice', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(10, 'a'));
    const replica = memoryReplica();
    replica.head = () => Promise.reject(new OkaError('replica-refused', 'wrong key', { fix: 'set it' }));
    expect(await caughtUp(portsFor(files, replica))).toEqual({ kind: 'stopped', why: 'wrong key', fix: 'set it' });
  });

  it('S1 what could still be lost is not sent: the end of a ledger waits until it has stood for a while', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(50, 'first'));
    await write(files.run, 'run', many(50, 'second'));
    const replica = memoryReplica();
    const ending = new AbortController();
    const time = testTime();
    let looks = 0;
    const seen: number[] = [];
    await replicateLedgers(
      portsFor(files, replica, {
        ...time,
        async sleep(ms) {
          seen.push(replica.events.run.length);
          looks += 1;
          if (looks === 1) {
            truncateSync(files.run, lengthOfFirst(files.run, 50)); // a write that was rolled back
            await write(files.run, 'run', many(3, 'instead'));
          }
          if (looks === 4) ending.abort();
          await time.sleep(ms, ending.signal);
        },
      }),
      { kind: 'ever' },
      ending.signal,
    );
    expect(seen[0]).toBe(50);
    expect(await faultsOf(files, replica.events)).toEqual([]);
    expect(replica.events.run).toHaveLength(53);
  });

  it('a damaged ledger is not copied: what holds before the damage is there, and it stops', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', [...many(100, 'a'), noteEvent('to be changed'), ...many(100, 'b')]);
    change(files.run, 'to be changed', 'was changed :)');
    const replica = memoryReplica();
    expect(await caughtUp(portsFor(files, replica))).toMatchObject({ kind: 'stopped', fix: 'Run: oka verify' });
    expect(replica.events.run.length).toBeLessThanOrEqual(100);
  });

  it('archiving in between changes nothing: what moved is read from where it is', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    const stopped = (index: number) => ({ type: 'worker.stopped', data: { reason: `day ${index}` } }) as const;
    await write(
      files.run,
      'run',
      Array.from({ length: 400 }, (_, index) => stopped(index)),
    );
    const replica = memoryReplica();
    const whole = replica.append.bind(replica);
    let archived = false;
    replica.append = async (of, events, signal) => {
      if (!archived) {
        archived = true;
        const ledger = await openLedger(files.run, 'run', { redact: (text) => text });
        expect(await archiveRuns(ledger, new Date(Date.now() + 1000), 10_000)).not.toBeNull();
        await ledger.append(noteEvent('after it'));
        await ledger.close();
        throw new OkaError('replica-down', 'and it is down');
      }
      return whole(of, events, signal);
    };
    expect(await caughtUp(portsFor(files, replica))).toEqual({ kind: 'caught-up' });
    await caughtUp(portsFor(files, replica));
    expect(await faultsOf(files, replica.events)).toEqual([]);
    expect(replica.events.run).toHaveLength(402);
  });

  it('R3 a person who switches it off is heard between two batches', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(300, 'a'));
    const replica = memoryReplica();
    expect(await caughtUp(portsFor(files, replica, { isOff: () => replica.calls.append > 0 }))).toEqual({
      kind: 'off',
    });
    expect(replica.events.run).toHaveLength(100);
  });
});

function lengthOfFirst(file: string, lines: number): number {
  return Buffer.byteLength(readFileSync(file, 'utf8').split('\n').slice(0, lines).join('\n')) + 1;
}

function change(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}
