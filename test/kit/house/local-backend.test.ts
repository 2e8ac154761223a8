import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { localBackend, slotsOf } from '../../../src/kit/house/local-backend.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import { engineWith, failed, graphOf, latch, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';

const asking = { kind: 'wait', id: 'ask', for: { kind: 'question', text: 'Go on?', options: ['yes', 'no'] } };
const step = (tool: string, rest: object = {}) => ({ kind: 'tool', id: tool, tool, ...rest });

function open() {
  const gate = latch();
  const tools = [
    toolNamed('echo', (input) => ok(input)),
    toolNamed('slow', async () => (await gate.promise, ok())),
    toolNamed('broken', () => failed('it is broken')),
  ];
  const { engine } = engineWith({ tools, stores: { artifacts: memoryArtifacts() } });
  return { engine, gate, backend: localBackend(engine, 2) };
}

const start = (run: string, graph: Graph) => ({ kind: 'start', run, graph, input: { a: 1 } }) as const;

describe('the backend of one machine', () => {
  it('starts a run, says how many slots are taken meanwhile, and waits until it has settled', async () => {
    const { backend, gate } = open();
    expect(await backend.start(start('r1', graphOf([step('slow')])))).toBe('r1');
    expect(backend.capabilities()).toEqual({ slots: 2, busy: 1 });
    const settled = backend.wait('r1');
    gate.resolve();
    expect(await settled).toMatchObject({ run: 'r1', status: 'done' });
    expect(backend.capabilities()).toEqual({ slots: 2, busy: 0 });
    expect(await backend.wait('r1')).toMatchObject({ status: 'done' });
  });

  it('replies in conversations and descriptions of folders take no slot of a task', async () => {
    const { backend, gate } = open();
    for (const id of ['oka.chat', 'oka.context'])
      await backend.start(start(`run-of-${id}`, { ...graphOf([step('slow')]), id }));
    expect(backend.capabilities()).toEqual({ slots: 2, busy: 0 });
    gate.resolve();
  });

  it('has as many slots as a person says, else as the machine has cores, and at least four', () => {
    const inbox = { settle_ms: 0, rescan_ms: 100 };
    expect(slotsOf({ inbox: { ...inbox, parallel: 1 } })).toBe(1);
    expect(slotsOf({ inbox })).toBe(Math.max(4, Math.min(64, availableParallelism())));
  });

  it('waits for a run that somebody else has continued, too', async () => {
    const { backend, engine, gate } = open();
    await backend.start(start('r1', graphOf([asking, step('slow', { needs: ['ask'] })])));
    expect(await backend.wait('r1')).toMatchObject({ status: 'blocked' });
    const [wait = ''] = (await engine.stateOf('r1'))?.waits.keys() ?? [];
    await engine.answer('r1', wait, { verdict: 'answered', by: 'ann', text: 'yes' });
    const settled = backend.wait('r1');
    gate.resolve();
    expect(await settled).toMatchObject({ status: 'done' });
  });

  it('a signal pauses or cancels a run; one that was paused goes on when it is resumed', async () => {
    const { backend, gate } = open();
    const graph = graphOf([step('slow'), step('echo', { needs: ['slow'] })]);
    await backend.start(start('r1', graph));
    const paused = backend.signal('r1', { kind: 'pause', reason: 'lunch', isGentle: true });
    gate.resolve();
    expect(await paused).toMatchObject({ run: 'r1', status: 'paused' });
    expect(await backend.start({ kind: 'resume', run: 'r1', reason: 'after lunch' })).toBe('r1');
    expect(await backend.wait('r1')).toMatchObject({ status: 'done' });
    await backend.start(start('r2', graphOf([asking])));
    expect(await backend.signal('r2', { kind: 'cancel', reason: 'no' })).toEqual({
      run: 'r2',
      status: 'cancelled',
      reason: 'no',
    });
    await expect(backend.signal('r2', { kind: 'cancel', reason: 'no' })).rejects.toMatchObject({ code: 'run-is-over' });
  });

  it('a failed run goes on under another name, which it returns', async () => {
    const { backend } = open();
    await backend.start(start('r1', graphOf([step('broken')])));
    expect(await backend.wait('r1')).toMatchObject({ status: 'failed' });
    const again = await backend.start({ kind: 'resume', run: 'r1', reason: 'try again' });
    expect(again).not.toBe('r1');
    expect(await backend.wait(again)).toMatchObject({ run: again, status: 'failed' });
  });

  it('a run that is made from an earlier one is executed with its input', async () => {
    const { backend, engine } = open();
    await backend.start(start('r1', graphOf([step('echo', { input: '{{input.a}}' })])));
    await backend.wait('r1');
    await backend.start({ kind: 'linked', run: 'r2', link: { kind: 'replay', run: 'r1' } });
    expect(await backend.wait('r2')).toMatchObject({ status: 'done' });
    expect(await engine.stateOf('r2')).toMatchObject({ input: { a: 1 } });
  });

  it('a failure to execute a run reaches who waits for it later, and only once', async () => {
    const { engine } = open();
    const fullDisk = Promise.reject(new Error('the disk is full'));
    const backend = localBackend(
      { ...engine, start: async (...all) => ({ ...(await engine.start(...all)), done: fullDisk }) },
      1,
    );
    await backend.start(start('r1', graphOf([step('echo')])));
    await new Promise((done) => setImmediate(done));
    await expect(backend.wait('r1')).rejects.toThrow('the disk is full');
    expect(await backend.wait('r1')).toMatchObject({ status: 'done' });
  });

  it('a run that is not there cannot be waited for', async () => {
    await expect(open().backend.wait('r9')).rejects.toMatchObject({ code: 'no-such-run' });
  });
});
