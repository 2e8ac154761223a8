/** Events that could not be written, calls that were stopped before theirs were, and what many calls may spend at once. */
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEngine } from '../../../src/core/engine/engine.ts';
import type { EngineOptions } from '../../../src/core/engine/engine-context.ts';
import { memoryEvents } from '../../../src/core/engine/in-memory-stores.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { defineTool } from '../../../src/kit/define-tool.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { engineWith, graphOf, ok, toolNamed } from '../../support/engine-fakes.ts';

const node = (id: string, tool: string, rest: object = {}): object => ({ kind: 'tool', id, tool, ...rest });
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};

/** An engine whose events are durable when `disk` says so. */
function onDisk(options: Pick<EngineOptions, 'tools' | 'hooks'>, mayStillFlush = false) {
  const events = memoryEvents(() => 0);
  const disk = Promise.withResolvers<void>();
  let flushes = 0;
  const flush = (): Promise<void> => ((flushes += 1) > 1 && mayStillFlush ? Promise.resolve() : disk.promise);
  const sleep = (ms: number): Promise<void> => after(Math.min(ms, 20));
  const engine = createEngine({ ...options, clock: () => 0, sleep, stores: { events: { ...events, flush } } });
  return { engine, disk, written: () => events.all.map(({ type }) => type) };
}

describe('when an intent cannot be written', () => {
  it('a run that is being stopped fails with the reason, and writes nothing behind what was lost', async () => {
    const write = toolNamed('write', () => ok(), { class: 'write_local' });
    const { engine, disk, written } = onDisk({ tools: [write] }, true);
    const drive = await engine.start(graphOf([node('a', 'write')]), { id: 'r' });
    await turns(20);
    expect(drive.stop({ kind: 'pause', reason: 'wanted' })).toBe(true);
    await turns(20);
    const before = written();
    disk.reject(new Error('no disk'));
    await expect(drive.done).rejects.toThrow('no disk');
    expect(written()).toEqual(before);
  });

  it.each(Array.from({ length: 14 }, (_, count) => count))(
    'nothing that happens %i turns before it is known is written behind it',
    async (count) => {
      const seen = Promise.withResolvers<void>();
      const write = toolNamed('write', () => ok(), { class: 'write_local' });
      const look = toolNamed('look', async () => (await seen.promise, ok()));
      const { engine, disk, written } = onDisk({ tools: [write, look] });
      const drive = await engine.start(graphOf([node('a', 'look'), node('b', 'write')]), { id: 'r' });
      await turns(20);
      seen.resolve();
      await turns(count);
      const known = disk.promise.catch(() => written());
      disk.reject(new Error('no disk'));
      const before = await known;
      await expect(drive.done).rejects.toThrow('no disk');
      expect(written()).toEqual(before);
    },
  );
});

it('a run whose end could not be written is not said to be done', async () => {
  const events = memoryEvents(() => 0);
  const flush = (mine: readonly Event[] = []): Promise<void> =>
    mine.some(({ type }) => type === 'run.ended') ? Promise.reject(new Error('no disk')) : Promise.resolve();
  const stores = { events: { ...events, flush } };
  const look = toolNamed('look', () => ok());
  const engine = createEngine({ tools: [look], clock: () => 0, sleep: (ms) => after(ms), stores });
  const { done } = await engine.start(graphOf([node('a', 'look')]), { id: 'r' });
  await expect(done).rejects.toThrow('no disk');
});

it('a call that is stopped before its intent is durable does not begin, nor does the hook before it', async () => {
  const made: string[] = [];
  const noting = (name: string) => toolNamed(name, () => (made.push(name), ok()), { class: 'write_local' });
  const hooks = { before_node: { tool: 'hook', input: null } };
  const { engine, disk } = onDisk({ tools: [noting('write'), noting('hook')], hooks });
  const drive = await engine.start(graphOf([node('a', 'write')]), { id: 'r' });
  await turns(20);
  drive.stop({ kind: 'pause', reason: 'wanted' });
  await turns(20);
  disk.resolve();
  expect((await drive.done).status).toBe('paused');
  expect(made).toEqual([]);
});

it.each(['read', 'write_local'] as const)(
  'of two calls of class %s that start together, and of which one can be paid for, one is made',
  async (effect) => {
    const costly = toolNamed('costly', () => ok(), { class: effect, estimate: () => ({ tokens_out: 600 }) });
    const judge = (): { effect: 'allow'; why: string } => ({ effect: 'allow', why: '' });
    const middleware = standardChain({ tools: [costly], clock: () => 0, sleep: async () => undefined, judge });
    const { engine, events } = engineWith({ tools: [costly], middleware });
    const nodes = ['a', 'b'].map((id) => node(id, 'costly', { on_error: 'fallback', fallback: null }));
    await (await engine.start(graphOf(nodes, { budgets: { tokens: 1000 } }), { id: 'r' })).done;
    const ends = events.flatMap((event) => (event.type === 'call.ended' ? [event.data.status] : []));
    expect(ends.toSorted()).toEqual(['denied', 'ok']);
  },
);

it('a read for which a store had no space is made again with the run, and is no failure; a write has failed', async () => {
  let isFull = true;
  const store = (): ReturnType<typeof ok> => {
    if (isFull) throw new OkaError('disk-full', 'no space left');
    return ok();
  };
  const look = defineTool({
    name: 'look',
    about: 'Looks.',
    input: z.object({}),
    output: z.object({}),
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    class: 'read',
    act: async () => store(),
  });
  const tools = [look, toolNamed('write', store, { class: 'write_local' })];
  const { engine } = engineWith({ tools });
  const drive = await engine.start(graphOf([node('a', 'look', { input: {} })]), { id: 'r' });
  await expect(drive.done).rejects.toMatchObject({ code: 'disk-full' });
  const written = await engine.start(graphOf([node('a', 'write')]), { id: 'w' });
  expect((await written.done).status).toBe('failed');
  isFull = false;
  expect((await (await engine.resume('r')).done).status).toBe('done');
});
