import { describe, expect, it } from 'vitest';
import { redactorFor } from '../../../../src/core/guard/redact.ts';
import { convexReplica } from '../../../../src/rooms/replica/copy/convex.ts';
import { prepareOutgoing } from '../../../../src/rooms/replica/copy/outgoing.ts';
import { openWith, sealTo } from '../../../../src/rooms/replica/copy/seal.ts';
import type { NewEvent } from '../../../../src/core/schema/event.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import { openConvexServer } from '../../../support/convex-server.ts';
import {
  caughtUp,
  faultsOf,
  filesIn,
  many,
  memoryReplica,
  noteEvent,
  portsFor,
  write,
} from '../../../support/replica.ts';
import { forms, shows } from '../../../support/secret-forms.ts';
import { timesOf } from '../../../support/thorough.ts';

const VALUES = [
  'correct-horse-battery-7!',
  'tr0ub4dor&3 with spaces',
  'Zm9vYmFyLXNlY3JldA',
  '{"json": "inside"} 99',
  'p@ss/word%20+plus=1',
];

const SECRETS = timesOf(20, 5);

describe('what leaves', () => {
  it('O2 of many secrets in a ledger that was written without redaction, in every form, none reaches the server', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    const known = Array.from({ length: SECRETS }, (_, index) => ({
      name: `SECRET_${index}`,
      value: `${VALUES[index % VALUES.length]}${index}`,
    }));
    const planted = known.flatMap(({ value }, index): NewEvent[] => [
      noteEvent(`harmless ${index}`),
      ...forms.map(({ encode }) => noteEvent(`it said ${encode(value)} and went on`)),
    ]);
    await write(files.run, 'run', planted);
    const seen: string[] = [];
    await using server = await openConvexServer({ key: 'k', sniff: (body) => void seen.push(body) });
    const replica = convexReplica({ url: server.url, key: 'k', timeoutMs: 10_000 });
    const leaving = prepareOutgoing({ redact: redactorFor(() => known), except: [], seal: null });
    expect(await caughtUp(portsFor(files, replica, { outgoing: leaving }))).toEqual({ kind: 'caught-up' });
    const texts = [...seen, JSON.stringify(await server.dump())];
    expect(known.filter(({ value }) => texts.some((text) => shows(text, value)))).toEqual([]);
    const { events } = await server.dump();
    expect(events).toHaveLength(planted.length);
    expect(events.filter(({ body }) => body.kind === 'plain')).toHaveLength(SECRETS);
  });

  it('O2 what is withheld keeps its place: the chain can be followed through it', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    const token = `ghp_${'a1B2'.repeat(10)}`;
    await write(files.run, 'run', [noteEvent('before'), noteEvent(`the token ${token}`), noteEvent('after')]);
    const replica = memoryReplica();
    const leaving = prepareOutgoing({ redact: redactorFor(() => []), except: [], seal: null });
    await caughtUp(portsFor(files, replica, { outgoing: leaving }));
    expect(await faultsOf(files, replica.events, false)).toEqual([]);
    expect(JSON.stringify(replica.events)).not.toContain(token);
    expect(replica.events.run[1]?.body).toEqual({
      kind: 'withheld',
      why: 'it contains something that redaction would remove',
    });
  });

  it('O2 a run that is named after a secret leaves without its name', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', [{ ...noteEvent('harmless'), run: 'hunter2-hunter2' }]);
    const replica = memoryReplica();
    const redact = redactorFor(() => [{ name: 'S', value: 'hunter2-hunter2' }]);
    await caughtUp(portsFor(files, replica, { outgoing: prepareOutgoing({ redact, except: [], seal: null }) }));
    expect(replica.events.run[0]).toMatchObject({ run: null, body: { kind: 'withheld' } });
  });

  it('types that a person left out keep their content here, by name, by family, or all', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', [noteEvent('a'), { type: 'worker.stopped', data: { reason: 'b' } }, noteEvent('c')]);
    const kinds = async (except: string[]): Promise<string[]> => {
      const replica = memoryReplica();
      await caughtUp(portsFor(files, replica, { outgoing: prepareOutgoing({ redact: (t) => t, except, seal: null }) }));
      expect(await faultsOf(files, replica.events, false)).toEqual([]);
      return replica.events.run.map(({ body }) => body.kind);
    };
    expect(await kinds(['worker.stopped'])).toEqual(['plain', 'withheld', 'plain']);
    expect(await kinds(['run.*'])).toEqual(['withheld', 'plain', 'withheld']);
    expect(await kinds(['run'])).toEqual(['plain', 'plain', 'plain']);
    expect(await kinds(['*'])).toEqual(['withheld', 'withheld', 'withheld']);
  });

  it('sealed, nothing of the content can be seen, and whoever has the key reads it', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(30, 'the quarterly figures'));
    const replica = memoryReplica();
    const xor = async (bytes: Uint8Array): Promise<Uint8Array> => bytes.map((byte) => byte ^ 0x5a);
    const leaving = prepareOutgoing({ redact: (text) => text, except: [], seal: sealTo(xor) });
    await caughtUp(portsFor(files, replica, { outgoing: leaving }));
    expect(JSON.stringify(replica.events)).not.toMatch(/quarterly/);
    const open = openWith(xor);
    for (const { seq, hash, body } of replica.events.run)
      expect(await open(body.kind === 'sealed' ? body.text : '', { ledger: 'home-1', pen: 'run', seq, hash })).toEqual({
        kind: 'opened',
        text: expect.stringContaining(`the quarterly figures ${seq - 1}`),
      });
  });
});
