import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { snapshotAfterCrash, oneAtATime, onDesk, stepsOf } from '../../../src/daemon/desk/desk.ts';
import { OkaError } from '../../../src/schema/errors.ts';
import type { Event, NewEvent } from '../../../src/schema/event.ts';
import type { Outcome, Tool } from '../../../src/schema/tool.ts';
import { openSnapshots, type Snapshots } from '../../../src/tools/desk/snapshots.ts';
import { callOf, latch, ok, toolNamed } from '../../support/engine-fakes.ts';

function ground(): { desk: string; shadow: Snapshots; events: NewEvent[]; wrapped: (tool: Tool) => Tool } {
  const folder = mkdtempSync(join(tmpdir(), 'oka-desk-'));
  const desk = join(folder, 'desk');
  mkdirSync(desk);
  const shadow = openSnapshots({ store: join(folder, 'undo'), desk });
  const events: NewEvent[] = [];
  const append = async (event: NewEvent): Promise<void> => void events.push(event);
  return { desk, shadow, events, wrapped: (tool) => onDesk([tool], shadow, append)[0] ?? tool };
}

const write = callOf({ tool: 'files.write', class: 'write_local' });

describe('onDesk', () => {
  it('K2 the state before a call is written down before it acts, the state after it only if it changed something', async () => {
    const { desk, events, wrapped } = ground();
    const seen: number[] = [];
    const tool = wrapped(
      toolNamed('files.write', (text) => {
        seen.push(events.length);
        if (typeof text === 'string') writeFileSync(join(desk, 'a.txt'), text);
        return ok();
      }),
    );
    await tool.invoke('one', { ...write, call: 'r.n.0.1' });
    await tool.invoke(null, { ...write, call: 'r.n.0.2' });
    expect(seen).toEqual([1, 3]);
    const kept = events.map(({ data }) => data as { call: string; when: string; tree: string });
    expect(kept.map(({ call, when }) => [call, when])).toEqual([
      ['r.n.0.1', 'before'],
      ['r.n.0.1', 'after'],
      ['r.n.0.2', 'before'],
    ]);
    expect(kept[1]?.tree).toBe(kept[2]?.tree);
  });

  it('K2 tells by what it can be known whether a command began', async () => {
    const { shadow, events } = ground();
    const append = async (event: NewEvent): Promise<void> => void events.push(event);
    const tool = toolNamed('shell', () => ok());
    const [wrapped = tool] = onDesk([tool], shadow, append, undefined, { environmentOf: async () => 'here' });
    await wrapped.invoke(null, { ...write, tool: 'shell', call: 'r.n.0.1' });
    expect(events).toMatchObject([{ data: { when: 'before', ground: 'here' } }]);
  });

  it('K4 where there is no space the call waits, and is neither failed nor made twice', async () => {
    const { shadow, events } = ground();
    const full = new OkaError('disk-full', 'no space');
    const troubles = [full, null, full];
    const append = async (event: NewEvent): Promise<void> => {
      const trouble = troubles.shift() ?? null;
      if (trouble !== null) throw trouble;
      events.push(event);
    };
    const waited: string[] = [];
    let acted = 0;
    const tool = toolNamed('files.write', () => {
      acted += 1;
      return ok();
    });
    const [wrapped = tool] = onDesk([tool], shadow, append, undefined, { onWait: ({ call }) => waited.push(call) });
    expect(await wrapped.invoke(null, { ...write, call: 'r.n.0.1' })).toMatchObject({ status: 'ok' });
    expect([acted, waited, events.length]).toEqual([1, ['r.n.0.1'], 1]);
  });

  it('K1 one writing call at a time, and reads beside it', async () => {
    const { wrapped } = ground();
    const gate = latch();
    const order: string[] = [];
    const tool = wrapped(
      toolNamed('shell', async (given) => {
        const name = JSON.stringify(given).slice(1, -1);
        order.push(`${name} begins`);
        if (name === 'first') await gate.promise;
        order.push(`${name} ends`);
        return ok();
      }),
    );
    const first = tool.invoke('first', write);
    const second = tool.invoke('second', write);
    await tool.invoke('read', { ...write, class: 'read' });
    while (!order.includes('first begins')) await new Promise((resolve) => void setImmediate(resolve));
    gate.resolve();
    await Promise.all([first, second]);
    expect(order.filter((line) => !line.startsWith('read'))).toEqual([
      'first begins',
      'first ends',
      'second begins',
      'second ends',
    ]);
  });

  it('a call that fails does not hold up the next one', async () => {
    const { wrapped } = ground();
    const tool = wrapped(toolNamed('shell', (name) => (name === 'bad' ? Promise.reject(new Error('no')) : ok(name))));
    await expect(tool.invoke('bad', write)).rejects.toThrow('no');
    expect(await tool.invoke('good', write)).toEqual(ok('good'));
  });

  it('a call that is stopped while it waits for its turn has not begun', async () => {
    const { events, wrapped } = ground();
    const stopped = AbortSignal.abort();
    const tool = wrapped(toolNamed('shell', () => ok()));
    expect(await tool.invoke(null, { ...write, signal: stopped })).toMatchObject({ status: 'cancelled', begun: false });
    expect(events).toEqual([]);
  });

  it('other tools are left alone', () => {
    const { wrapped } = ground();
    const tool = toolNamed('http.get', () => ok());
    expect(wrapped(tool)).toBe(tool);
  });

  it('what it wrote down is enough to take a run back', async () => {
    const { desk, shadow, events, wrapped } = ground();
    writeFileSync(join(desk, 'a.txt'), 'old\n');
    const tool = wrapped(toolNamed('files.write', () => (writeFileSync(join(desk, 'a.txt'), 'new\n'), ok())));
    await tool.invoke(null, write);
    const { tree: now } = await shadow.snapshot('now');
    const steps = stepsOf(events as unknown as Event[], now);
    expect(shadow.changes(steps)).toEqual({ created: [], changed: ['a.txt'], removed: [] });
    await shadow.undo(steps, 'undone');
    expect(readFileSync(join(desk, 'a.txt'), 'utf8')).toBe('old\n');
  });
});

describe('keptAfterCrash', () => {
  const outlived = { run: 'r', call: 'r.n.0.1', tool: 'shell', class: 'write_local' } as const;
  const before = { type: 'desk.kept', data: { call: 'r.n.0.1', when: 'before', ground: 'here' } } as unknown as Kept;
  const notBegun: Outcome = { status: 'cancelled', error: 'stopped before it began', begun: false };
  type Kept = Extract<Event, { type: 'desk.kept' }>;
  type Given = { call?: Partial<typeof outlived>; kept: Kept | null; seen: Outcome | null };

  async function looked({ call = {}, kept, seen }: Given) {
    const { shadow, events } = ground();
    const grounds: (string | undefined)[] = [];
    const append = async (event: NewEvent): Promise<void> => void events.push(event);
    const outcome = await snapshotAfterCrash(
      shadow,
      append,
      oneAtATime(),
      { ...outlived, ...call },
      {
        findBefore: async () => kept,
        readOutcome: async (found) => {
          grounds.push(found?.data.ground);
          return seen;
        },
      },
    );
    return { outcome, grounds, after: events.map(({ data }) => (data as { when: string }).when) };
  }

  it('K3 a call whose state before it is not in the ledger never began: nobody looks for what came of it', async () => {
    expect(await looked({ kept: null, seen: ok() })).toEqual({ outcome: notBegun, grounds: [], after: [] });
  });

  it('K3 of any other call it is found out what came of it, and what it left is kept', async () => {
    expect(await looked({ kept: before, seen: ok() })).toEqual({ outcome: ok(), grounds: ['here'], after: ['after'] });
    expect(await looked({ kept: before, seen: null })).toEqual({ outcome: null, grounds: ['here'], after: ['after'] });
  });

  it('K3 what is on the desk is not put down to a call that never began', async () => {
    expect(await looked({ kept: before, seen: notBegun })).toMatchObject({ outcome: notBegun, after: [] });
  });

  it('a read, and a tool that does not write to the desk, are only looked at', async () => {
    for (const call of [{ class: 'read' }, { tool: 'http.get' }] as never[])
      expect(await looked({ call, kept: null, seen: null })).toMatchObject({ outcome: null, after: [] });
  });
});

describe('stepsOf', () => {
  const kept = (call: string, when: string, tree: string): Event =>
    ({ type: 'desk.kept', data: { call, node: 'n', when, tree, skipped: [] } }) as unknown as Event;
  const ended = (call: string): Event => ({ type: 'call.ended', data: { call } }) as unknown as Event;

  it('pairs what was before and after each call, and leaves out what changed nothing', () => {
    const events = [kept('a', 'before', '1'), kept('a', 'after', '2'), kept('b', 'before', '2'), ended('b')];
    expect(stepsOf(events, '9')).toEqual([{ before: '1', after: '2' }]);
  });

  it('a call whose end nobody saw reaches up to now', () => {
    expect(stepsOf([kept('a', 'before', '1')], '9')).toEqual([{ before: '1', after: '9' }]);
  });
});
