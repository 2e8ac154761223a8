import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withHost } from '../../../src/kit/house/host.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { Graph } from '../../../src/core/schema/graph.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';
import { temporaryFolder } from '../../support/cli.ts';

const question = Graph.parse({
  id: 'q',
  nodes: [{ kind: 'wait', id: 'ask', for: { kind: 'question', text: 'Now?' } }],
});
const never = new AbortController().signal;

async function eventsIn(file: string): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of readEvents(file)) events.push(event);
  return events;
}

async function gone(folder: string): Promise<void> {
  for (let tries = 0; tries < 200 && readdirSync(folder).some((name) => name.endsWith('.json')); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
}

/** What a process leaves that was killed when it had recorded a request: the record and the file. */
async function leaveRecorded(home: Home, intake: Intake): Promise<void> {
  const id = submit(join(home.oka, 'intake'), intake);
  const ledger = await openLedger(home.ledgers.run, 'run', { redact: (text) => text });
  await ledger.append({ type: 'intake.received', data: { id, intake } });
  await ledger.close();
}

describe('the holder of the pen', () => {
  it('H2 records a request before it acts on it, and acts on it once', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const intakes = join(home.oka, 'intake');
    await withHost(home, never, async ({ engine }) => {
      await (await engine.start(question, { id: 'q1' })).done;
      const id = submit(intakes, {
        kind: 'answer',
        wait: 'q1.ask.0.w0',
        answer: { verdict: 'answered', text: 'yes', by: 'somebody' },
      });
      await gone(intakes);
      writeFileSync(join(intakes, `${id}.json`), JSON.stringify({ kind: 'cancel', run: 'q1' }));
      await gone(intakes);
    });
    const events = await eventsIn(home.ledgers.run);
    expect(events.filter((event) => event.type === 'intake.received')).toHaveLength(1);
    const types = events.map((event) => event.type);
    expect(types.indexOf('intake.received')).toBeLessThan(types.indexOf('wait.closed'));
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', data: { status: 'done', output: 'yes' } });
  });

  it('H2 handles a request that a crash left behind its record; one that may not be repeated is rejected', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const intakes = join(home.oka, 'intake');
    await withHost(home, never, async ({ engine }) => (await engine.start(question, { id: 'q1' })).done);
    const answer = { verdict: 'answered', text: 'yes', by: 'somebody' } as const;
    await leaveRecorded(home, { kind: 'answer', wait: 'q1.ask.0.w0', answer });
    await withHost(home, never, () => gone(intakes));
    await leaveRecorded(home, { kind: 'note', run: 'q1', text: 'a note' });
    await withHost(home, never, () => gone(intakes));
    const events = await eventsIn(home.ledgers.run);
    expect(events.filter(({ type }) => type === 'intake.received')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'wait.closed')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'note.received')).toEqual([]);
    expect(events.find(({ type }) => type === 'intake.rejected')?.data).toMatchObject({
      reason: expect.stringContaining('ended while it handled this request') as string,
    });
  });

  it('writes down why a request could not be taken, and goes on with the next', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const intakes = join(home.oka, 'intake');
    submit(intakes, { kind: 'cancel', run: 'no-such-run' });
    writeFileSync(join(intakes, 'zz-broken.json'), '[]');
    await withHost(home, never, () => gone(intakes));
    const reasons = (await eventsIn(home.ledgers.run)).flatMap((event) =>
      event.type === 'intake.rejected' ? [event.data.reason] : [],
    );
    expect(reasons).toEqual([expect.stringContaining('no-such-run'), expect.any(String)]);
  });

  it('H1 a stop counts only when everything has stopped: what went on before that would be stopped with the rest', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const stopFile = join(home.oka, 'STOP');
    await withHost(home, never, async (host) => {
      const { stopAll } = host.engine;
      const stopping = Promise.withResolvers<void>();
      const mayEnd = Promise.withResolvers<void>();
      host.engine.stopAll = async (reason) => {
        stopping.resolve();
        await mayEnd.promise;
        await stopAll(reason);
      };
      writeFileSync(stopFile, '');
      await stopping.promise;
      rmSync(stopFile);
      expect(host.stops.seen).toBe(0);
      mayEnd.resolve();
      await expect.poll(() => host.stops.seen, { timeout: 30_000 }).toBe(1);
    });
  });

  it('H4 begins nothing when it was told to end while it started; the next one goes on with it', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await withHost(home, AbortSignal.abort(), async ({ engine }) => (await engine.start(question, { id: 'q1' })).done);
    expect((await eventsIn(home.ledgers.run)).some(({ type }) => type === 'wait.opened')).toBe(false);
    await withHost(home, never, async ({ engine }) => (await engine.resume('q1')).done);
    expect((await eventsIn(home.ledgers.run)).some(({ type }) => type === 'wait.opened')).toBe(true);
  });

  it('H1 does not start while .oka/STOP is there', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    writeFileSync(join(home.oka, 'STOP'), '');
    await expect(withHost(home, never, async () => undefined)).rejects.toMatchObject({ code: 'refused' });
    expect(existsSync(home.ledgers.run)).toBe(false);
  });
});
