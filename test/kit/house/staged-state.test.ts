/** What graphs remember, in a home with its ledger: over restarts, with large values, without secrets. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withHost } from '../../../src/kit/house/host.ts';
import { nodeKinds } from '../../../src/kit/house/room-contributions.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { stagedState } from '../../../src/kit/house/staged-state.ts';
import { graphState, type GraphState } from '../../../src/core/engine/graph-state.ts';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { SHARED_FILE } from '../../../src/core/ledger/projection-files.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';
import { answerOf } from '../../../src/core/schema/room.ts';
import { temporaryFolder } from '../../support/cli.ts';

const never = new AbortController().signal;
const graph = async (nodes: object[]): Promise<Graph> =>
  readGraph({ id: 'g', mode: 'flex', nodes }, await nodeKinds()).graph;
const write = (value: Json, rest: object = {}) => graph([{ kind: 'write_state', id: 'w', key: 'k', value, ...rest }]);
const read = () => graph([{ kind: 'read_state', id: 'r', key: 'k' }]);

async function outputOf(home: Home, of: Promise<Graph>, id: string): Promise<Json> {
  const loaded = await of;
  return withHost(home, never, async ({ engine }) => (await (await engine.start(loaded, { id })).done).output);
}

const request = (home: Home, intake: Extract<Intake, { kind: 'state' }>): Promise<Json> =>
  withHost(home, never, async ({ handle }) => answerOf(await handle(intake)));

describe('the state of graphs in a home', () => {
  it('is there after a restart, and after its snapshot was lost', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const large = { text: 'x'.repeat(100_000) };
    await outputOf(home, write(large), 'a');
    expect(await outputOf(home, read(), 'b')).toEqual({ key: 'k', value: large });
    rmSync(join(home.oka, SHARED_FILE));
    expect(await outputOf(home, read(), 'c')).toEqual({ key: 'k', value: large });
  });

  it('is changed by a person, who may say what is expected there', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await outputOf(home, write(1), 'a');
    const intake = { kind: 'state', namespace: 'g', key: 'k' } as const;
    await expect(request(home, { ...intake, value: 3, expect: 2 })).rejects.toMatchObject({ code: 'refused' });
    expect(await request(home, { ...intake, value: 2, expect: 1 })).toEqual({ changed: true });
    expect(await outputOf(home, read(), 'b')).toEqual({ key: 'k', value: 2 });
    expect(await request(home, intake)).toEqual({ changed: true });
    expect(await request(home, intake)).toEqual({ changed: false });
    expect(await outputOf(home, read(), 'c')).toEqual({ key: 'k', value: null });
  });

  it('contains no secret: a value is redacted like everything in the ledger', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await outputOf(home, write({ token: `ghp_${'a'.repeat(36)}` }), 'a');
    const output = await outputOf(home, read(), 'b');
    expect(JSON.stringify(output)).not.toContain('ghp_aaaa');
    expect(JSON.stringify(output)).toContain('redacted');
  });
});

describe('a write that was staged', () => {
  const written = (seq: number, value: Json): Event =>
    ({ type: 'state.written', seq, at: '', run: null, data: { namespace: 'g', key: 'k', value, by: 'me' } }) as Event;

  it('counts at once, until it is durable or turns out to be lost', () => {
    let durable: GraphState = {};
    const lost = new Set<Event>();
    const listeners: ((events: readonly Event[]) => void)[] = [];
    const state = stagedState({
      projections: { stateOf: () => durable as never },
      onDurable: (listener) => {
        listeners.push(listener);
        return () => undefined;
      },
      ledger: { isLost: (event) => lost.has(event) },
    });
    const [first, second] = [written(1, 'a'), written(2, 'b')];
    state.note(first);
    expect(state.get('g', 'k')?.value).toBe('a');
    durable = graphState.apply(durable, first);
    for (const listener of listeners) listener([first]);
    state.note(second);
    expect(state.get('g', 'k')?.value).toBe('b');
    lost.add(second);
    expect(state.get('g', 'k')?.value).toBe('a');
  });
});
