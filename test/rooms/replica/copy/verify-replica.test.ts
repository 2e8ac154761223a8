import { describe, expect, it } from 'vitest';
import { convexReplica } from '../../../../src/rooms/replica/copy/convex.ts';
import { prepareOutgoing } from '../../../../src/rooms/replica/copy/outgoing.ts';
import { recordHash } from '../../../../src/rooms/replica/copy/ledger-record.ts';
import { openWith, sealTo } from '../../../../src/rooms/replica/copy/seal.ts';
import { type Verified, verifyReplica } from '../../../../src/rooms/replica/copy/verify-replica.ts';
import type { WireEvent } from '../../../../src/core/schema/replica-port.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import { type ConvexServer, openConvexServer } from '../../../support/convex-server.ts';
import { caughtUp, type Files, filesIn, many, memoryReplica, portsFor, write } from '../../../support/replica.ts';

const OF = { ledger: 'home-1', pen: 'run' } as const;
const same = async (bytes: Uint8Array): Promise<Uint8Array> => bytes;

async function verified(files: Files, replica: Parameters<typeof verifyReplica>[0]['replica']): Promise<Verified> {
  const signal = AbortSignal.timeout(60_000);
  return verifyReplica({ replica, of: OF, ledgerFile: files.run, open: openWith(same), signal, settlesMs: 0 });
}

describe('verifyReplica', () => {
  it('finds nothing between a ledger and its replica, and says what is behind, withheld or sealed to others', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(300, 'a'));
    const replica = memoryReplica();
    await caughtUp(portsFor(files, replica));
    expect(await verified(files, replica)).toMatchObject({ events: 300, behind: 0, difference: null });
    await write(files.run, 'run', many(25, 'b'));
    expect(await verified(files, replica)).toMatchObject({ events: 300, behind: 25, difference: null });
    const withheld = memoryReplica();
    const except = ['run.*'];
    await caughtUp(portsFor(files, withheld, { outgoing: prepareOutgoing({ redact: (t) => t, except, seal: null }) }));
    expect(await verified(files, withheld)).toMatchObject({ events: 325, withheld: 325, difference: null });
    const sealed = memoryReplica();
    const seal = sealTo(same);
    await caughtUp(portsFor(files, sealed, { outgoing: prepareOutgoing({ redact: (t) => t, except: [], seal }) }));
    expect(await verified(files, sealed)).toMatchObject({ events: 325, unopened: 0, difference: null });
    const signal = AbortSignal.timeout(60_000);
    const blind = { replica: sealed, of: OF, ledgerFile: files.run, open: null, signal, settlesMs: 0 };
    expect(await verifyReplica(blind)).toMatchObject({ events: 325, unopened: 325, difference: null });
    expect(await verified(files, memoryReplica())).toMatchObject({ events: 0, behind: 325, difference: null });
  });

  it.each<[string, (events: WireEvent[]) => void, object]>([
    ['a changed content', (all) => rewrite(all, 120, { reason: 'nothing happened' }), { seq: 120, kind: 'changed' }],
    ['a changed time', (all) => patch(all, 7, { at: '2020-01-01T00:00:00.000Z' }), { seq: 7, kind: 'changed' }],
    ['a changed run', (all) => patch(all, 8, { run: null }), { seq: 8, kind: 'changed' }],
    ['a changed hash', (all) => patch(all, 9, { hash: 'e'.repeat(64) }), { seq: 9, kind: 'changed' }],
    ['a changed prev', (all) => patch(all, 10, { prev: 'e'.repeat(64) }), { seq: 10, kind: 'changed' }],
    ['a changed last hash', (all) => patch(all, 300, { hash: 'e'.repeat(64) }), { seq: 300, kind: 'changed' }],
    ['a missing event', (all) => void all.splice(49, 1), { seq: 50, kind: 'missing' }],
    ['an event that stands twice', (all) => twice(all, 50), { seq: 50, kind: 'twice' }],
    ['a duplicate at the end of a page', (all) => twice(all, 200), { seq: 200, kind: 'twice' }],
    ['a duplicate of the last event', (all) => twice(all, 300), { seq: 300, kind: 'twice' }],
    ['another history', fork, { seq: 100, kind: 'fork' }],
    ['events that only the replica has', ahead, { seq: 301, kind: 'ahead' }],
  ])('V2 tells %s with its place', async (_what, tamper, difference) => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(300, 'a'));
    const replica = memoryReplica();
    await caughtUp(portsFor(files, replica));
    tamper(replica.events.run);
    const pages = replica.events.run;
    replica.page = async (_of, from, limit) => pages.filter(({ seq }) => seq >= from).slice(0, limit);
    expect((await verified(files, replica)).difference).toMatchObject(difference);
  });

  it('V2 finds a sealed content that was changed or put under another event', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(30, 'a'));
    const replica = memoryReplica();
    const seal = sealTo(same);
    await caughtUp(portsFor(files, replica, { outgoing: prepareOutgoing({ redact: (t) => t, except: [], seal }) }));
    const [first, second] = replica.events.run;
    if (first === undefined || second === undefined) throw new Error('not there');
    [first.body, second.body] = [second.body, first.body];
    expect((await verified(files, replica)).difference).toMatchObject({ seq: 1, kind: 'changed' });
  });

  it('V2 finds what was changed in the database of a real deployment', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(40, 'a'));
    await using server = await openConvexServer({ open: true });
    const replica = convexReplica({ url: server.url, key: null, timeoutMs: 10_000 });
    await caughtUp(portsFor(files, replica));
    expect((await verified(files, replica)).difference).toBeNull();
    await overwrite(server, 17, '{"reason":"nothing happened"}');
    expect((await verified(files, replica)).difference).toMatchObject({ seq: 17, kind: 'changed' });
  });
});

async function overwrite(server: ConvexServer, seq: number, text: string): Promise<void> {
  await server.tamper(async ({ db }) => {
    const row = (await db.query('events').collect()).find((each) => each.seq === seq);
    if (row !== undefined) await db.patch(row._id, { body: { kind: 'plain', text } });
    return null;
  });
}

function patch(events: WireEvent[], seq: number, fields: Partial<WireEvent>): void {
  Object.assign(events[seq - 1] as WireEvent, fields);
}

function twice(events: WireEvent[], seq: number): void {
  events.splice(seq, 0, events[seq - 1] as WireEvent);
}

function rewrite(events: WireEvent[], seq: number, data: object): void {
  patch(events, seq, { body: { kind: 'plain', text: JSON.stringify(data) } });
}

/** From event 100 on, a history of its own that is sound in itself. */
function fork(events: WireEvent[]): void {
  for (let index = 99; index < events.length; index += 1) {
    const event = events[index] as WireEvent;
    const text = JSON.stringify({ reason: `another ${index}` });
    event.prev = events[index - 1]?.hash ?? '';
    event.body = { kind: 'plain', text };
    event.hash = recordHash(event, 'run', text);
  }
}

function ahead(events: WireEvent[]): void {
  const last = events.at(-1) as WireEvent;
  const next = { ...last, seq: last.seq + 1, prev: last.hash };
  const text = JSON.stringify({ reason: 'only there' });
  events.push({ ...next, body: { kind: 'plain', text }, hash: recordHash(next, 'run', text) });
}
