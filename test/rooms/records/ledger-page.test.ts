import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { homeAt } from '../../../src/kit/settings.ts';
import { viewFolds } from '../../../src/kit/house/open-views.ts';
import { writeViews } from '../../../src/kit/rows/views-writer.ts';
import { archiveRuns } from '../../../src/core/ledger/archive-runs.ts';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import { verifyLedger } from '../../../src/core/ledger/verify-ledger.ts';
import type { Line, NewEvent } from '../../../src/core/schema/event.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { CHAIN_START, checkPart, type ChainResult } from '../../../src/rooms/records/page/browser/chain-check.ts';
import type { LedgerAnswer } from '../../../src/rooms/records/page/ledger-answers.ts';
import {
  ledgerEventQuery,
  ledgerHeadQuery,
  ledgerLinesQuery,
  ledgerQuery,
} from '../../../src/rooms/records/page/ledger-queries.ts';
import { askQuery } from '../../support/ask-query.ts';
import { freshFolder, openPlain, randomFrom } from '../../support/ledger-samples.ts';
import { timesOf } from '../../support/thorough.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const RUNS = 160;

let home: Home;
let all: Line[];

beforeAll(async () => {
  home = homeAt(freshFolder());
  mkdirSync(dirname(home.ledgers.run), { recursive: true });
  await writeHistory(home.ledgers.run);
  all = await Array.fromAsync(readEvents(home.ledgers.run));
  await writeViews(home, await viewFolds(), new AbortController().signal); // as a worker does; else every query folds it all
});

describe('the page Ledger', () => {
  it('shows every event that fits a filter exactly once, page after page, archived ones too', async () => {
    const last = all.at(-1)?.seq ?? 0;
    const half = new Date(START + 300 * MINUTE_MS).toISOString();
    const filters: Filter[] = [
      {},
      { run: 'r7' },
      { type: 'run.ended' },
      { type: 'run.*', since: half },
      { text: 'zebra' },
      { text: 'zebra', type: 'run.paused' },
      { text: 'Title of r15' },
      { until: half },
      { since: half, until: new Date(START + 400 * MINUTE_MS).toISOString(), text: 'wild' },
      { run: 'none' },
      { text: 'nowhere' },
      { since: '2099-01-01T00:00:00.000Z' },
    ];
    expect(last).toBeGreaterThan(600);
    for (const filter of filters) expect([filter, await allPages(filter)]).toEqual([filter, expected(filter)]);
  });

  it('shows an event that a link names among its neighbours', async () => {
    const { events } = await askQuery<Page>(ledgerQuery, home, { seq: '40', limit: '20' });
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => 50 - n));
    expect(events.find(({ seq }) => seq === 40)?.sentence).not.toBe('');
  });

  it('gives each line as it is stored, wherever it is', async () => {
    const live = readFileSync(home.ledgers.run, 'utf8').split('\n')[0] ?? '';
    const { seq } = JSON.parse(live) as { seq: number };
    expect(await askQuery(ledgerEventQuery, home, { seq: String(seq) })).toMatchObject({
      raw: live,
      file: 'run_ledger.jsonl',
    });
    const archived = await askQuery<{ raw: string; file: string }>(ledgerEventQuery, home, { seq: '3' });
    expect(JSON.parse(archived.raw)).toEqual(all[2]);
    expect(archived.file).toMatch(/\.zst$/);
    await expect(askQuery(ledgerEventQuery, home, { seq: '999999' })).rejects.toThrow('no event 999999');
  });

  it('says how far the ledger goes, and what of it is archived', async () => {
    const head = await askQuery<{ events: number; archived: { events: number; segments: number } }>(
      ledgerHeadQuery,
      home,
    );
    expect(head.events).toBe(all.length);
    expect(head.archived.segments).toBeGreaterThan(1);
    expect(await askQuery(ledgerHeadQuery, home, { pen: 'maintenance' })).toMatchObject({ events: 0, bytes: 0 });
    expect(await askQuery(ledgerQuery, home, { pen: 'maintenance' })).toMatchObject({ events: [], next: null });
  });
});

describe('the check of the chain in the browser', () => {
  it('comes to the same end as oka verify, archive included, whatever the size of the parts', async () => {
    const other = homeAt(freshFolder());
    mkdirSync(dirname(other.ledgers.run), { recursive: true });
    await writeHistory(other.ledgers.run, 48);
    const head = await askQuery<{ archived: { segments: number } }>(ledgerHeadQuery, other);
    expect(head.archived.segments).toBeGreaterThan(1);
    const verdict = await verifyLedger(other.ledgers.run);
    for (const bytes of [1, 5000, 4_000_000]) {
      const { position, fault, unfinished } = await checkAll(other, bytes);
      expect({ fault, unfinished }).toEqual({ fault: null, unfinished: 0 });
      expect(verdict).toMatchObject({
        state: 'intact',
        events: position.seq,
        head: position.hash,
        bytes: position.offset,
      });
    }
  });

  it('finds the same first bad line as oka verify, whatever is damaged', async () => {
    const random = randomFrom(7);
    const other = homeAt(freshFolder());
    mkdirSync(dirname(other.ledgers.run), { recursive: true });
    await writeHistory(other.ledgers.run, 12, false);
    const intact = readFileSync(other.ledgers.run);
    for (let n = 0; n < timesOf(200, 20); n += 1) {
      const bytes = damage(intact, random);
      if (bytes.equals(intact)) continue;
      writeFileSync(other.ledgers.run, bytes);
      const verdict = await verifyLedger(other.ledgers.run);
      const { position, fault, unfinished } = await checkAll(other, 3000);
      expect(position.seq).toBe('events' in verdict ? verdict.events : 0);
      if (fault !== null && 'fault' in verdict) expect(fault).toMatchObject({ ...verdict.fault });
      else expect(verdict.state === 'intact' ? 0 : 1).toBe(unfinished > 0 ? 1 : 0);
    }
  });
});

type Filter = { run?: string; type?: string; text?: string; since?: string; until?: string };
type Page = z.infer<typeof LedgerAnswer>;

async function allPages(filter: Filter): Promise<number[]> {
  const found: number[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await askQuery<Page>(ledgerQuery, home, {
      ...filter,
      limit: '37',
      ...(before === undefined ? {} : { before }),
    });
    found.push(...page.events.map(({ seq }) => seq));
    if (page.next === null) return found;
    before = String(page.next);
  }
}

function expected({ run, type, text, since, until }: Filter): number[] {
  const fits = (event: Line): boolean =>
    (run === undefined || event.run === run) &&
    (type === undefined || event.type === type || (type.endsWith('*') && event.type.startsWith(type.slice(0, -1)))) &&
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until) &&
    (text === undefined ||
      text.split(' ').every((word) => new RegExp(`\\b${word}`, 'i').test(JSON.stringify(event.data))));
  return all
    .filter(fits)
    .map(({ seq }) => seq)
    .toReversed();
}

async function checkAll(where: Home, bytes: number): Promise<ChainResult> {
  let result: ChainResult = { position: CHAIN_START, fault: null, unfinished: 0 };
  for (let offset = 0; ; ) {
    const params = { offset: String(offset), bytes: String(bytes) };
    const part = await askQuery<{ end: number; text: string; size: number }>(ledgerLinesQuery, where, params);
    result = await checkPart(part.text, result.position);
    if (result.fault !== null || part.end >= part.size) return result;
    offset = part.end;
  }
}

/** Flips, removes, doubles or swaps some bytes or lines. */
function damage(intact: Buffer, random: ReturnType<typeof randomFrom>): Buffer {
  const at = random.below(intact.length);
  const copy = Buffer.from(intact);
  const lines = intact.toString('utf8').split('\n');
  const line = random.below(lines.length - 1);
  switch (random.below(5)) {
    case 0:
      copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
      return copy;
    case 1:
      return Buffer.concat([intact.subarray(0, at), intact.subarray(at + 1 + random.below(50))]);
    case 2:
      return intact.subarray(0, at);
    case 3:
      return Buffer.from(lines.toSpliced(line, 1).join('\n'));
    default:
      return Buffer.from(lines.toSpliced(line, 0, lines[random.below(lines.length - 1)] ?? '').join('\n'));
  }
}

/** Runs of four events, a minute an event; the first half of them archived in several segments. */
async function writeHistory(file: string, runs = RUNS, isArchived = true): Promise<void> {
  let now = START;
  const ledger = await openPlain(file, { clock: () => (now += MINUTE_MS) });
  for (let n = 0; n < runs; n += 1) {
    const run = `r${n}`;
    const graph = { id: 'g', sha256: 'a'.repeat(64) };
    const texts = n % 40 === 3 ? 'a wild zebra, äöü 🦓' : 'an ordinary horse';
    const events: NewEvent[] = [
      { type: 'run.started', run, data: { title: `Title of ${run}`, graph } },
      { type: 'run.paused', run, data: { reason: texts } },
      { type: 'run.resumed', run, data: { reason: 'somebody asked for it' } },
      { type: 'run.ended', run, data: { status: 'done', reason: '' } },
    ];
    for (const event of events) await ledger.append(event);
  }
  if (isArchived) await archiveRuns(ledger, new Date(START + runs * 2 * MINUTE_MS), 20_000);
  await ledger.close();
}
