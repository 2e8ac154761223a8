import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { convexReplica } from '../../../../src/rooms/replica/copy/convex.ts';
import type { Pen } from '../../../../src/core/schema/event.ts';
import type { Replica, WireEvent } from '../../../../src/core/schema/replica-port.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import { everyFault } from '../../../support/convex-faults.ts';
import { type ConvexServer, openConvexServer } from '../../../support/convex-server.ts';
import { caughtUp, faultsOf, filesIn, many, noteEvent, portsFor, testTime, write } from '../../../support/replica.ts';

const KEY = 'a key for tests that is long enough';
const OF = { ledger: 'home-1', pen: 'run' } as const;
const never = new AbortController().signal;

const replicaAt = (url: string, key: string | null = KEY, timeoutMs = 10_000): Replica =>
  convexReplica({ url, key, timeoutMs });

describe('a replica in Convex', () => {
  it('gets both ledgers whole, whatever goes wrong on the way: errors, drops, lost answers, duplicates', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(600, 'a'));
    await write(files.maintenance, 'maintenance', many(60, 'm'));
    await using server = await openConvexServer({ key: KEY, faults: everyFault(0.08), seed: 3 });
    const ports = portsFor(files, replicaAt(server.url), { limits: { events: 10, bytes: 1e6 } });
    expect(await caughtUp(ports)).toEqual({ kind: 'caught-up' });
    expect(await faultsOf(files, await storedIn(server))).toEqual([]);
    const { failBefore, failAfter, dropBefore, dropAfter, duplicate, late } = server.counts;
    expect([failBefore, failAfter, dropBefore, dropAfter, duplicate, late].filter((times) => times === 0)).toEqual([]);
  });

  it('an event whose data is larger than a document may be keeps its place, and says why its content stays', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    const large: ReturnType<typeof noteEvent> = {
      type: 'call.ended',
      run: 'r1',
      data: { call: 'r1-a-1', node: 'a', status: 'ok', output: { text: 'é'.repeat(600_000) } },
    };
    await write(files.run, 'run', [noteEvent('before'), large, noteEvent('after')]);
    await using server = await openConvexServer({ key: KEY });
    expect(await caughtUp(portsFor(files, replicaAt(server.url)))).toEqual({ kind: 'caught-up' });
    const { run } = await storedIn(server);
    expect(run.map(({ body }) => body.kind)).toEqual(['plain', 'withheld', 'plain']);
    expect(run[1]?.body).toMatchObject({ why: expect.stringContaining('larger than') });
  });

  it.each([
    ['another key', 'wrong', 'refuses the key'],
    ['no key', null, 'refuses the key'],
  ])('C3 %s stops it at once, with what to do', async (_what, key, why) => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(3, 'a'));
    await using server = await openConvexServer({ key: KEY });
    expect(await caughtUp(portsFor(files, replicaAt(server.url, key)))).toMatchObject({
      kind: 'stopped',
      why: expect.stringContaining(why),
      fix: expect.stringContaining('OKA_REPLICA_KEY'),
    });
    expect(server.counts.requests).toBe(1);
  });

  it('C3 a deployment without the functions of oka, or with older ones, is told from one that is down', async () => {
    const answer = (errorMessage: string): RequestListener => {
      return (_request, response) => void response.end(JSON.stringify({ status: 'error', errorMessage }));
    };
    const missing = "[Request ID: 1] Server Error\nCould not find public function for 'replica:head'.";
    await using without = await serve(answer(missing));
    await expect(replicaAt(without.url).head(OF, never)).rejects.toMatchObject({
      code: 'replica-refused',
      fix: expect.stringContaining('npx convex deploy'),
    });
    await using older = await serve(answer('ArgumentValidationError: Object contains extra field `d`'));
    await expect(replicaAt(older.url).head(OF, never)).rejects.toMatchObject({ code: 'replica-refused' });
    await using broken = await serve(answer('[Request ID: 1] Server Error'));
    await expect(replicaAt(broken.url).head(OF, never)).rejects.toMatchObject({ code: 'replica-down' });
  });

  it.each(['7', '{"seq":-1,"hash":"a"}', '{"seq":1}', '[]'])('C4 a head that is %s is refused', async (value) => {
    await using server = await serve(
      (_request, response) => void response.end(`{"status":"success","value":${value}}`),
    );
    await expect(replicaAt(server.url).head(OF, never)).rejects.toMatchObject({ code: 'replica-refused' });
    await expect(replicaAt(server.url).append(OF, [], never)).rejects.toMatchObject({ code: 'replica-refused' });
  });

  it('C1 a server that never answers is given up, by its time or by the signal', async () => {
    await using silent = await serve(() => undefined);
    await expect(replicaAt(silent.url, KEY, 50).head(OF, never)).rejects.toMatchObject({
      code: 'replica-down',
      message: expect.stringContaining('did not answer in time'),
    });
    const ending = new AbortController();
    const asked = replicaAt(silent.url).append(OF, [], ending.signal);
    setImmediate(() => ending.abort());
    await expect(asked).rejects.toMatchObject({ code: 'replica-down' });
  });

  it('C2 a redirect is not followed: the key goes nowhere else', async () => {
    const elsewhere: string[] = [];
    await using other = await serve((request, response) => {
      elsewhere.push(request.url ?? '');
      response.end('{}');
    });
    await using server = await serve((_request, response) =>
      response.writeHead(307, { location: `${other.url}/api/query` }).end(),
    );
    await expect(replicaAt(server.url).head(OF, never)).rejects.toMatchObject({ code: 'replica-down' });
    expect(elsewhere).toEqual([]);
  });

  it('C2 an answer without end is cut off', async () => {
    await using server = await serve((_request, response) => {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      const more = (): void => void response.write(piece, (error) => (error ? undefined : more()));
      more();
    });
    await expect(replicaAt(server.url).head(OF, never)).rejects.toMatchObject({
      code: 'replica-down',
      message: expect.stringContaining('larger than'),
    });
  });

  it('C3 what is no Convex at all, or is not there, is down', async () => {
    await using page = await serve((_request, response) => void response.end('<html>hello</html>'));
    await expect(replicaAt(page.url).head(OF, never)).rejects.toMatchObject({ code: 'replica-down' });
    await expect(replicaAt('http://127.0.0.1:9').head(OF, never)).rejects.toMatchObject({ code: 'replica-down' });
  });

  it('R4 a deployment that is down from the start is only asked now and then; memory stays flat', async () => {
    using folder = temporaryFolder();
    const files = filesIn(folder.dir);
    await write(files.run, 'run', many(3000, 'a'));
    const time = testTime();
    const down = portsFor(files, replicaAt('http://127.0.0.1:9'), time);
    await caughtUp(down, 20);
    const before = process.memoryUsage.rss();
    expect(await caughtUp(down, 300)).toMatchObject({ kind: 'unreachable' });
    expect((process.memoryUsage.rss() - before) / 1024 / 1024).toBeLessThan(40);
    expect(time.slept.length).toBe(19 + 299);
  });
});

async function storedIn(server: ConvexServer): Promise<{ [pen in Pen]: WireEvent[] }> {
  const { events } = (await server.dump()) as unknown as { events: (WireEvent & { pen: Pen })[] };
  const of = (pen: Pen): WireEvent[] => events.filter((each) => each.pen === pen).toSorted((a, b) => a.seq - b.seq);
  return { run: of('run'), maintenance: of('maintenance') };
}

async function serve(listener: RequestListener): Promise<{ url: string; [Symbol.asyncDispose](): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
