import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type DeskPorts, recordAfter, recordUnbegun } from '../../../src/rooms/desk/desk.ts';
import { stepsOf } from '../../../src/kit/runs/recorded-steps.ts';
import { deskTurns } from '../../../src/rooms/desk/desk-turns.ts';
import { openDeskCalls } from '../../../src/rooms/desk/open-desk-calls.ts';
import { deskSettling } from '../../../src/rooms/desk/settle-desk.ts';
import { callsFolder } from '../../../src/kit/sandbox/sandbox.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { openSnapshots } from '../../../src/kit/desk/snapshots.ts';
import { launchEnvironment } from '../../../src/kit/sandbox/launch-ticket.ts';

const folders: string[] = [];
const { signal } = new AbortController();

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A home of which one process after another settles the desk and dies. */
function homeWithCrashes() {
  const folder = mkdtempSync(join(tmpdir(), 'oka-settle-'));
  folders.push(folder);
  const home = homeAt(folder);
  const desk = join(home.workspace, 'desk');
  mkdirSync(desk, { recursive: true });
  mkdirSync(callsFolder(home), { recursive: true });
  const shadow = openSnapshots({ store: join(folder, 'undo'), desk });
  const events: Event[] = [];
  const fence = { refuses: null as OkaError | null };
  const append = async (event: object): Promise<void> => {
    events.push({ seq: events.length, ...event } as Event);
    if (fence.refuses !== null) throw fence.refuses;
  };
  const ports: DeskPorts = { shadow, append, inTurn: deskTurns(() => Promise.resolve()) };
  const settleInNewProcess = async (): Promise<void> => {
    const { open } = events.reduce((state, event) => openDeskCalls.apply(state, event), openDeskCalls.initial());
    await deskSettling({
      home,
      openCalls: () => open,
      recordAfter: (call) => recordAfter(ports, call, signal),
      recordUnbegun: (call) => recordUnbegun(ports, call, signal),
      hasLauncher: () => Promise.resolve(false),
      report: () => undefined,
      signal,
    }).settle({});
  };
  const begin = async (ground?: string, call = 'r.n.0.1'): Promise<void> => {
    const { tree } = await shadow.snapshot('before');
    const data = { call, node: 'n', when: 'before', tree, skipped: [], ...(ground && { ground }) };
    await append({ type: 'desk.kept', run: 'r', data });
  };
  const changed = (call = 'r.n.0.1'): string[] => {
    const own = events.filter((event) => event.type === 'desk.kept' && event.data.call === call);
    return shadow.changes(stepsOf(own, null)).created;
  };
  const put = (name: string): void => writeFileSync(join(desk, name), name);
  return { home, put, begin, settleInNewProcess, changed, fence };
}

describe('a call of which nobody saw the end', () => {
  it('gets what it did before the crash', async () => {
    const { put, begin, settleInNewProcess, changed } = homeWithCrashes();
    await begin();
    put('own.txt');
    await settleInNewProcess();
    put('of-another-task.txt');
    await settleInNewProcess();
    expect(changed()).toEqual(['own.txt']);
  });

  it('S2 is not given what others did until the next crash, although it had changed nothing', async () => {
    const { put, begin, settleInNewProcess, changed } = homeWithCrashes();
    await begin();
    await settleInNewProcess();
    put('of-another-task.txt');
    await settleInNewProcess();
    expect(changed()).toEqual([]);
  });

  it('S2 is not given what others did until the next crash, although it never began and the machine has started again since', async () => {
    const { home, put, begin, settleInNewProcess, changed } = homeWithCrashes();
    await begin(launchEnvironment(callsFolder(home)) ?? '');
    await settleInNewProcess();
    put('of-another-task.txt');
    writeFileSync(join(callsFolder(home), 'ground'), 'another environment\n');
    await settleInNewProcess();
    expect(changed()).toEqual([]);
  });

  it('K1 is settled when the next one begins, also if it had changed nothing and its outcome was not recorded', async () => {
    const { put, begin, settleInNewProcess, changed } = homeWithCrashes();
    await begin();
    await begin(undefined, 'r.n.0.2');
    put('of-the-next.txt');
    await settleInNewProcess();
    expect([changed(), changed('r.n.0.2')]).toEqual([[], ['of-the-next.txt']]);
  });

  it('S3 does not fail whoever settles it when another member of the fleet owns its run by now', async () => {
    const { put, begin, settleInNewProcess, changed, fence } = homeWithCrashes();
    await begin();
    put('own.txt');
    fence.refuses = new OkaError('run-fenced', 'run r belongs to another worker now; epoch 1 is over');
    await settleInNewProcess();
    expect(changed()).toEqual(['own.txt']);
  });

  it('S3 is not passed over for any other reason: then nobody writes', async () => {
    const { begin, settleInNewProcess, fence } = homeWithCrashes();
    await begin();
    fence.refuses = new OkaError('write-failed', 'the disk is broken');
    await expect(settleInNewProcess()).rejects.toThrow('the disk is broken');
  });
});
