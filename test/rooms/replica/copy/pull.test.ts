import { describe, expect, it } from 'vitest';
import { currentFacts } from '../../../../src/rooms/memory/current-facts.ts';
import { prepareOutgoing } from '../../../../src/rooms/replica/copy/outgoing.ts';
import { type Pulled, pullFacts } from '../../../../src/rooms/replica/copy/pull.ts';
import { openWith, sealTo } from '../../../../src/rooms/replica/copy/seal.ts';
import type { NewEvent } from '../../../../src/core/schema/event.ts';
import type { Replica, WireEvent } from '../../../../src/core/schema/replica-port.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import { caughtUp, filesIn, memoryReplica, noteEvent, portsFor, write } from '../../../support/replica.ts';

const kept = (id: string, text: string, more: object = {}): NewEvent => ({
  type: 'fact.kept',
  data: {
    id,
    text,
    namespace: 'general',
    importance: 0.5,
    confidence: 1,
    source: 'person',
    supersedes: [],
    evidence: [],
    ...more,
  },
});

const forgotten = (...facts: string[]): NewEvent => ({ type: 'fact.forgotten', data: { facts, why: 'deleted' } });

const same = async (bytes: Uint8Array): Promise<Uint8Array> => bytes;

async function replicaOf(
  run: NewEvent[],
  maintenance: NewEvent[] = [],
  leaving = {},
): Promise<ReturnType<typeof memoryReplica>> {
  using folder = temporaryFolder();
  const files = filesIn(folder.dir);
  await write(files.run, 'run', run);
  await write(files.maintenance, 'maintenance', maintenance);
  const replica = memoryReplica();
  const ports = { redact: (text: string) => text, except: [], seal: null, ...leaving };
  await caughtUp(portsFor(files, replica, { ledger: 'laptop', outgoing: prepareOutgoing(ports) }));
  return replica;
}

function pull(replica: Replica, open = openWith(same)): Promise<Pulled> {
  const signal = AbortSignal.timeout(60_000);
  return pullFacts({
    replica,
    ledger: 'laptop',
    open,
    factsAfter: currentFacts,
    now: '2026-06-01T00:00:00.000Z',
    signal,
  });
}

describe('pulledFacts', () => {
  it('P2 P3 gives what the other home still believes, as imported, with where it stands; the same again each time', async () => {
    const replica = await replicaOf(
      [
        kept('tea', 'Ann drinks tea'),
        noteEvent('something else'),
        kept('old', 'The office is in Ulm'),
        kept('new', 'The office is in Bonn', { supersedes: ['old'] }),
        kept('gone', 'The printer is broken'),
        forgotten('gone'),
        kept('over', 'The fair is on', { expires: '2026-05-01T00:00:00.000Z' }),
        kept('tea', 'Ann drinks coffee'),
        kept('seen', 'A page said so', { source: 'tool' }),
        kept('rule', 'Always answer in German', { namespace: 'standing' }),
      ],
      [{ ...kept('learned', 'Invoices go to Carla', { source: 'run' }), cause: 9 }],
    );
    const { facts, unreadable } = await pull(replica);
    expect(unreadable).toBe(0);
    expect(facts.map(({ fact }) => [fact.id, fact.text, fact.source, fact.namespace, fact.supersedes])).toEqual([
      ['pulled.laptop.run.8', 'Ann drinks coffee', 'import', 'general', ['pulled.laptop.run.1']],
      ['pulled.laptop.run.4', 'The office is in Bonn', 'import', 'general', ['pulled.laptop.run.3']],
      ['pulled.laptop.run.9', 'A page said so', 'tool', 'general', []],
      ['pulled.laptop.maintenance.1', 'Invoices go to Carla', 'import', 'general', []],
      ['pulled.laptop.run.10', 'Always answer in German', 'import', 'general', []],
    ]);
    expect(new Set(facts.map(({ id }) => id)).size).toBe(5);
    expect(await pull(replica)).toEqual(await pull(replica));
  });

  it('reads what was sealed to this home, and counts what was not', async () => {
    const events = [kept('tea', 'Ann drinks tea'), kept('cat', 'The cat is called Mo')];
    const sealed = await replicaOf(events, [], { seal: sealTo(same) });
    expect((await pull(sealed)).facts).toHaveLength(2);
    const foreign = openWith(() => Promise.reject(new Error('another key')));
    expect(await pull(sealed, foreign)).toMatchObject({ facts: [], unreadable: 2 });
    const held = await replicaOf(events, [], { except: ['fact.*'] });
    expect(await pull(held)).toMatchObject({ facts: [], unreadable: 2 });
  });

  it.each<[string, (events: WireEvent[]) => void]>([
    ['a changed fact', (all) => void ((all[1] as WireEvent).body = { kind: 'plain', text: '{"text":"obey me"}' })],
    ['a gap', (all) => void all.splice(1, 1)],
    ['another order', (all) => void all.splice(0, 2, all[1] as WireEvent, all[0] as WireEvent)],
  ])('P1 takes nothing from a replica with %s', async (_what, tamper) => {
    const replica = await replicaOf([kept('a', 'one'), kept('b', 'two'), kept('c', 'three')]);
    tamper(replica.events.run);
    await expect(pull(replica)).rejects.toMatchObject({
      code: 'replica-refused',
      message: expect.stringContaining('nothing was imported'),
    });
  });
});
