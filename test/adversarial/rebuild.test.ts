/** P3, V1 to V3: whatever a ledger has lived through, its files are those that a rebuild makes, and no event is lost or told twice. */
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publicIdentity } from '../../src/kit/home/home-anchors.ts';
import { homeAt, userPlaces } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { openStores, rebuildStores, type Stores } from '../../src/kit/house/stores.ts';
import { archiveRuns } from '../../src/core/ledger/archive-runs.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { taskGraph } from '../../src/core/ledger/task-graph.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { Config } from '../../src/core/schema/config.ts';
import type { Event, Line, NewEvent } from '../../src/core/schema/event.ts';
import { life, type Snapshot, type Step } from '../support/ledger-histories.ts';
import { freshFolder } from '../support/ledger-samples.ts';
import { leastOf, runsOf, scaled } from '../support/thorough.ts';

const SEED = 20_260_725;

describe('a ledger that has lived', () => {
  const seen = { archived: 0, broken: 0, segments: 0 };

  it('P3 V3 has the files of a rebuild byte for byte, an intact chain, and every event once and in order', async () => {
    const property = fc.asyncProperty(life, fc.integer({ min: 1, max: 6 }), async (steps, snapshotEvents) => {
      const world = new World(snapshotEvents);
      await world.open();
      for (const step of steps) await world.take(step);
      await world.close();
      await world.expectConsistent();
      seen.archived += world.archived;
      seen.broken += world.broken;
      seen.segments += existsSync(world.archive) ? readdirSync(world.archive).length : 0;
      rmSync(world.home.dir, { recursive: true });
    });
    await fc.assert(property, { seed: SEED, ...runsOf(300) });
    expect(seen.archived).toBeGreaterThan(leastOf(scaled(50)));
    expect(seen.broken).toBeGreaterThan(leastOf(scaled(50)));
  });

  it('V2 archiving that broke off leaves every event once, and archiving again, with another limit, too', async () => {
    for (const breaks of ['before record', 'before cut'] as const) {
      const world = new World(100);
      await world.open();
      for (let round = 0; round < 4; round += 1) {
        const events = Array.from({ length: 6 }, () => paused(`old${round}`));
        await world.take({ step: 'append', together: false, events });
        await world.take({ ...archiving, stays: 4, segmentBytes: 700 + 400 * round, breaks });
        await world.expectConsistent();
      }
      await world.take({ ...archiving, segmentBytes: 999 });
      await world.close();
      await world.expectConsistent();
      expect(world.archived, breaks).toBeGreaterThan(0);
      expect(world.broken, breaks).toBeGreaterThan(2);
    }
  });

  it.each([
    { what: 'that is not over', events: [paused('a'), ended('a'), paused('b'), paused('c'), ended('c')], stays: 0 },
    {
      what: 'that reaches into the present',
      events: [ended('a'), paused('a'), paused('b'), ended('b'), paused('b')],
      stays: 1,
    },
  ])('V1 a run $what holds back itself and everything behind it', async ({ events, stays }) => {
    const world = new World(100);
    await world.open();
    await world.take({ step: 'append', together: true, events });
    await world.take({ ...archiving, finish: false, stays });
    const live = readFileSync(world.home.ledgers.run, 'utf8');
    expect(JSON.parse(live.slice(0, live.indexOf('\n')))).toMatchObject({ seq: 3, run: 'b.0' });
    await world.close();
    await world.expectConsistent();
  });

  it('V3 a damaged or missing segment is damage, and is not opened over', async () => {
    const world = new World(100);
    await world.open();
    const events = Array.from({ length: 20 }, () => paused('a'));
    await world.take({ step: 'append', together: true, events });
    await world.take({ ...archiving, segmentBytes: 900 });
    await world.close();
    for (const name of readdirSync(world.archive)) {
      const segment = join(world.archive, name);
      const bytes = readFileSync(segment);
      const middle = bytes.length >> 1;
      const flipped = bytes.with(middle, (bytes[middle] ?? 0) ^ 0x10);
      for (const bad of [flipped, bytes.subarray(0, -20), bytes.subarray(0, 0), null]) {
        if (bad === null) rmSync(segment);
        else writeFileSync(segment, bad);
        expect(await verifyLedger(world.home.ledgers.run), name).toMatchObject({ state: 'damaged' });
        rmSync(join(world.home.oka, 'active_task_graph.json'), { force: true });
        await expect(world.open(), name).rejects.toMatchObject({ code: 'ledger-damaged' });
      }
      writeFileSync(segment, bytes);
    }
    expect(await verifyLedger(world.home.ledgers.run)).toMatchObject({ state: 'intact' });
  });
});

const archiving: Extract<Step, { step: 'archive' }> = {
  step: 'archive',
  finish: true,
  stays: 0,
  segmentBytes: 2000,
  breaks: 'never',
  meanwhile: [],
};

function paused(run: string): NewEvent {
  return { type: 'run.paused', run, data: { reason: '' } };
}

function ended(run: string): NewEvent {
  return { type: 'run.ended', run, data: { status: 'done', reason: '' } };
}

/** A home with its clock, and what has been acknowledged in it. */
class World {
  readonly home: Home = homeAt(freshFolder());
  readonly archive = join(this.home.oka, 'archive');
  readonly #config: Config;
  readonly #acknowledged: Event[] = [];
  #open = new Set<string>();
  #generation = 0;
  #now = Date.parse('2026-01-01T00:00:00Z');
  #stores: Stores | null = null;
  archived = 0;
  broken = 0;

  constructor(snapshotEvents: number) {
    this.#config = Config.parse({ ledger: { snapshot_events: snapshotEvents, snapshot_ms: 60_000 } });
  }

  async open(): Promise<void> {
    // every event has its own second
    this.#stores = await openStores(this.home, this.#config, 'run', { clock: () => (this.#now += 1000) });
  }

  async close(): Promise<void> {
    await this.#held.close();
    this.#stores = null;
  }

  async take(step: Step): Promise<void> {
    if (step.step === 'append') await this.#append(step.events, step.together);
    else if (step.step === 'restart') await this.#restart(step.snapshot);
    else await this.#archive(step);
  }

  /** After closing: compares everything that can be known of the ledger. */
  async expectConsistent(): Promise<void> {
    const reopen = this.#stores !== null;
    if (reopen) await this.close();
    const file = this.home.ledgers.run;
    const lines = await Array.fromAsync(readEvents(file));
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
    for (const { seq, type, run, data } of this.#acknowledged)
      expect(lines[seq - 1]).toMatchObject(JSON.parse(JSON.stringify({ seq, type, run, data })) as object);
    expect(lines.filter(({ type }) => type === 'ledger.archived')).toHaveLength(this.archived);
    expect(lines).toHaveLength(this.#acknowledged.length + this.archived);
    expect(await verifyLedger(file)).toMatchObject({ state: 'intact', events: lines.length });
    const middle = Math.ceil(lines.length / 2);
    expect(await Array.fromAsync(readEvents(file, { from: middle }))).toEqual(lines.slice(Math.max(0, middle - 1)));
    await this.#expectRebuilt(lines);
    if (reopen) await this.open();
  }

  async #expectRebuilt(lines: readonly Line[]): Promise<void> {
    const kept = this.#snapshots();
    await rebuildStores(this.home, this.#config, 'run');
    expect(this.#snapshots()).toEqual(kept);
    const folded = lines.reduce((state, line) => taskGraph.apply(state, line), taskGraph.initial());
    const { state } = JSON.parse(kept.get(join(this.home.oka, 'active_task_graph.json')) ?? '') as { state: unknown };
    expect(state).toEqual(JSON.parse(JSON.stringify(folded)));
  }

  /** The text of every snapshot, whatever projections there are. */
  #snapshots(): Map<string, string> {
    const folders = [this.home.oka, join(this.home.oka, 'state')];
    const files = folders.flatMap((folder) =>
      readdirSync(folder).flatMap((name) =>
        /^(?!home).*\.json$|^projections\.jsonl$/.test(name) ? [join(folder, name)] : [],
      ),
    );
    return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  }

  async #append(events: readonly NewEvent[], together: boolean): Promise<void> {
    const { ledger } = this.#held;
    const named = events.map((event) => this.#named(event));
    const written = together
      ? await ledger.append(named)
      : await Promise.all(named.map((event) => ledger.append(event)));
    for (const event of written) this.#acknowledge(event);
  }

  /** Runs that are over are not taken up again. */
  #named(event: NewEvent): NewEvent {
    return event.run === undefined ? event : { ...event, run: `${event.run}.${this.#generation}` };
  }

  #acknowledge(event: Event): void {
    this.#acknowledged.push(event);
    if (event.run !== null) this.#open.add(event.run);
  }

  async #restart(snapshot: Snapshot): Promise<void> {
    const file = join(this.home.oka, 'active_task_graph.json');
    const before = this.#snapshots();
    await this.close();
    if (snapshot === 'lost') rmSync(file);
    else if (snapshot === 'garbled')
      writeFileSync(file, readFileSync(file, 'utf8').replace('"events": ', '"events": 1'));
    else if (snapshot === 'foreign') {
      // That of the task graph is an anchor of the ledger: another one is refused.
      for (const [each, text] of this.#snapshots()) if (each !== file) writeFileSync(each, foreign(text));
    } else if (snapshot === 'old') for (const [file, text] of before) writeFileSync(file, text);
    await this.open();
  }

  async #archive(step: Extract<Step, { step: 'archive' }>): Promise<void> {
    if (step.finish) await this.#finishRuns();
    if (step.breaks !== 'never') {
      await this.#archiveBroken(step, step.breaks);
      return;
    }
    const { ledger } = this.#held;
    const [moved] = await Promise.all([
      archiveRuns(ledger, this.#limit(step), step.segmentBytes),
      this.#append(step.meanwhile, false),
    ]);
    if (moved !== null) this.archived += 1;
  }

  /** Everything that notes how far the ledger has come. */
  #anchors(): Map<string, string> {
    const { notes } = userPlaces();
    const id = publicIdentity(this.home)?.id ?? '';
    const folders = readdirSync(notes).filter((name) => id !== '' && name.startsWith(id));
    const files = [join(this.home.oka, 'locks'), ...folders.map((name) => join(notes, name))].flatMap((folder) =>
      readdirSync(folder).flatMap((name) => (name.endsWith('.head.json') ? [join(folder, name)] : [])),
    );
    return new Map([...this.#snapshots(), ...files.map((file) => [file, readFileSync(file, 'utf8')] as const)]);
  }

  #putBack(before: Map<string, string>): void {
    for (const file of this.#anchors().keys()) if (!before.has(file)) rmSync(file);
    for (const [file, text] of before) writeFileSync(file, text);
  }

  /** A crash is played by putting back the live file, and what was noted about it, as they were at that point. */
  async #archiveBroken(
    step: Extract<Step, { step: 'archive' }>,
    breaks: 'before record' | 'before cut',
  ): Promise<void> {
    const live = this.home.ledgers.run;
    const before = `${live}.before`;
    copyFileSync(live, before);
    const anchors = this.#anchors();
    const moved = await archiveRuns(this.#held.ledger, this.#limit(step), step.segmentBytes);
    await this.close();
    if (moved !== null) {
      const text = readFileSync(live, 'utf8');
      const record = text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
      writeFileSync(live, readFileSync(before, 'utf8') + (breaks === 'before cut' ? record : ''));
      if (breaks === 'before record') this.#putBack(anchors);
      this.broken += 1;
      if (breaks === 'before cut') this.archived += 1;
    }
    rmSync(before);
    await this.open();
  }

  #limit({ stays }: { stays: number }): Date {
    return new Date(this.#now + 500 - stays * 1000);
  }

  async #finishRuns(): Promise<void> {
    const events = [...this.#open].map(
      (run): NewEvent => ({ type: 'run.ended', run, data: { status: 'done', reason: '' } }),
    );
    for (const event of await this.#held.ledger.append(events)) this.#acknowledge(event);
    this.#open = new Set();
    this.#generation += 1;
  }

  get #held(): Stores {
    return this.#stores ?? expect.fail('the stores are closed');
  }
}

/** A snapshot with a state and a sum of its own that ends with another record at the same place. */
function foreign(text: string): string {
  if (text.startsWith('{"seq"')) return text.replace(/"hash":"[0-9a-f]{64}"/, `"hash":"${'f'.repeat(64)}"`);
  const snapshot = JSON.parse(text) as { state: { events?: number } };
  const state = { ...snapshot.state, ...('events' in snapshot.state ? { events: 1_000_000 } : {}) };
  return JSON.stringify({ ...snapshot, hash: 'f'.repeat(64), sum: hash('sha256', JSON.stringify(state)), state });
}
