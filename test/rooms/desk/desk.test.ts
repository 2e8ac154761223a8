import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onDesk, resolveAfterCrash } from '../../../src/rooms/desk/desk-calls.ts';
import { stepsOf } from '../../../src/kit/runs/recorded-steps.ts';
import { deskTurns } from '../../../src/rooms/desk/desk-turns.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import type { Outcome, Tool } from '../../../src/core/schema/tool.ts';
import { openSnapshots, type Snapshots } from '../../../src/kit/desk/snapshots.ts';
import { callOf, latch, ok, toolNamed } from '../../support/engine-fakes.ts';
import { testFolder } from '../../support/test-folders.ts';

function ground(): { desk: string; shadow: Snapshots; events: NewEvent[]; wrapped: (tool: Tool) => Tool } {
  const folder = testFolder('oka-desk-');
  const desk = join(folder, 'desk');
  mkdirSync(desk);
  const shadow = openSnapshots({ store: join(folder, 'undo'), desk });
  const events: NewEvent[] = [];
  const append = async (event: NewEvent): Promise<void> => void events.push(event);
  return {
    desk,
    shadow,
    events,
    wrapped: (tool) => onDesk([tool], { shadow, append, inTurn: deskTurns(nothingOpen) })[0] ?? tool,
  };
}

const nothingOpen = (): Promise<void> => Promise.resolve();
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
    const [wrapped = tool] = onDesk([tool], {
      shadow,
      append,
      inTurn: deskTurns(nothingOpen),
      environmentOf: async () => 'here',
    });
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
    const [wrapped = tool] = onDesk([tool], {
      shadow,
      append,
      inTurn: deskTurns(nothingOpen),
      onWait: (run) => waited.push(run),
    });
    expect(await wrapped.invoke(null, { ...write, call: 'r.n.0.1' })).toMatchObject({ status: 'ok' });
    expect([acted, waited, events.length]).toEqual([1, [write.run], 1]);
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

  it('a call whose place has become wider while it waited asks for the turn of all of it', async () => {
    const { shadow, desk } = ground();
    for (const name of ['a', 'b']) mkdirSync(join(desk, name));
    const places: Record<string, string[]> = { first: ['a'], other: ['b'], wide: ['a'] };
    const gates: Record<string, ReturnType<typeof latch<void>>> = { first: latch(), other: latch() };
    const begun: string[] = [];
    const [tool = toolNamed('shell', () => ok())] = onDesk(
      [
        toolNamed('shell', async (_, { call }) => {
          begun.push(call);
          await gates[call]?.promise;
          return ok();
        }),
      ],
      {
        shadow,
        append: nothingOpen,
        inTurn: deskTurns(nothingOpen),
        placeOf: async ({ call }) => places[call] ?? [],
      },
    );
    const start = (call: string): Promise<Outcome> => tool.invoke(call, { ...write, call });
    const [first, other] = [start('first'), start('other')];
    await expect.poll(() => begun.toSorted()).toEqual(['first', 'other']);
    const wide = start('wide');
    await new Promise((resolve) => void setImmediate(resolve));
    places['wide'] = ['a', 'b'];
    gates['first']?.resolve();
    await first;
    await new Promise((resolve) => void setTimeout(resolve, 50));
    expect(begun).not.toContain('wide');
    gates['other']?.resolve();
    await Promise.all([other, wide]);
    expect(begun.at(-1)).toBe('wide');
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
    const steps = stepsOf(events as unknown as Event[], () => now);
    expect(shadow.changes(steps)).toEqual({ created: [], changed: ['a.txt'], removed: [] });
    await shadow.undo(steps, 'undone');
    expect(readFileSync(join(desk, 'a.txt'), 'utf8')).toBe('old\n');
  });
});

describe('deskTurns', () => {
  it('D2 nobody writes before everything open is settled, and not when that fails', async () => {
    const order: string[] = [];
    const problems = [new Error('not yet'), null];
    const inTurn = deskTurns(async () => {
      const problem = problems.shift();
      order.push('settle');
      if (problem instanceof Error) throw problem;
    });
    await expect(inTurn(async () => order.push('first'))).rejects.toThrow('not yet');
    await inTurn(async () => order.push('second'));
    expect(order).toEqual(['settle', 'settle', 'second']);
  });

  it('whoever is stopped while somebody else writes goes at once, and never gets a turn', async () => {
    const inTurn = deskTurns(nothingOpen);
    const gate = latch();
    const order: string[] = [];
    const first = inTurn(() => gate.promise);
    const stop = new AbortController();
    const second = inTurn(async () => (order.push('second'), 'ran'), {
      stop: { signal: stop.signal, value: 'stopped' },
    });
    stop.abort();
    expect(await second).toBe('stopped');
    gate.resolve();
    await first;
    expect(await inTurn(async () => 'third')).toBe('third');
    expect(order).toEqual([]);
  });
});

describe('resolveAfterCrash', () => {
  const outlived = { run: 'r', call: 'r.n.0.1', tool: 'shell', class: 'write_local' } as const;
  const before = { type: 'desk.kept', data: { call: 'r.n.0.1', when: 'before', ground: 'here' } } as unknown as Before;
  const notBegun: Outcome = { status: 'cancelled', error: 'stopped before it began', begun: false };
  type Before = Extract<Event, { type: 'desk.kept' }>;
  type Given = { call?: Partial<typeof outlived>; kept: Before | null; seen: Outcome | null };

  async function resolved({ call = {}, kept, seen }: Given) {
    const order: string[] = [];
    const inTurn = deskTurns(async () => void order.push('settle'));
    const outcome = await resolveAfterCrash(
      inTurn,
      { ...outlived, ...call },
      {
        findBefore: async () => kept,
        readOutcome: async (found) => {
          order.push(found?.data.ground ?? 'nowhere');
          return seen;
        },
      },
    );
    return { outcome, order };
  }

  it('K3 a call whose state before it is not in the ledger never began', async () => {
    expect(await resolved({ kept: null, seen: ok() })).toEqual({ outcome: notBegun, order: [] });
  });

  it('K3 any other call is settled first, then its outcome is read', async () => {
    expect(await resolved({ kept: before, seen: ok() })).toEqual({ outcome: ok(), order: ['settle', 'here'] });
    expect(await resolved({ kept: before, seen: null })).toEqual({ outcome: null, order: ['settle', 'here'] });
  });

  it('the outcome of a read, and of a tool that does not write to the desk, is only read', async () => {
    for (const call of [{ class: 'read' }, { tool: 'http.get' }] as never[])
      expect(await resolved({ call, kept: null, seen: null })).toEqual({ outcome: null, order: ['nowhere'] });
  });
});

describe('stepsOf', () => {
  const kept = (call: string, when: string, tree: string): Event =>
    ({ type: 'desk.kept', data: { call, node: 'n', when, tree, skipped: [] } }) as unknown as Event;
  const ended = (call: string): Event => ({ type: 'call.ended', data: { call } }) as unknown as Event;

  it('pairs what was before and after each call, and leaves out what changed nothing', () => {
    const events = [kept('a', 'before', '1'), kept('a', 'after', '2'), kept('b', 'before', '2'), ended('b')];
    expect(stepsOf(events, () => '9')).toEqual([{ before: '1', after: '2' }]);
  });

  it('a call whose end nobody saw reaches up to now', () => {
    expect(stepsOf([kept('a', 'before', '1')], () => '9')).toEqual([{ before: '1', after: '9' }]);
  });
});
