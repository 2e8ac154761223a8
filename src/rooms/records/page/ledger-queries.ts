/** The queries of the page Ledger: pages of events, one line as it is stored, and raw parts for the check of the chain. */
import { z } from 'zod';
import { checkAnchors } from '../../../kit/home/home-anchors.ts';
import { readVerification } from '../../../kit/home/verification-state.ts';
import { closeHistory, openHistory } from '../../../core/ledger/history.ts';
import { readRawPart, readStoredLine } from '../../../core/ledger/raw-lines.ts';
import { lastSeqOf } from '../../../core/ledger/seek.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { eventTypes, type Line, Pen } from '../../../core/schema/event.ts';
import type { Home } from '../../../core/schema/home.ts';
import { Id, Instant } from '../../../core/schema/names.ts';
import { describeEvent } from '../../../kit/views/event-sentence.ts';
import { pageOfEvents } from '../../../kit/views/events-page.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { LedgerAnswer, LedgerEventAnswer, LedgerHeadAnswer, LedgerLinesAnswer } from './ledger-answers.ts';

const pen = Pen.default('run').describe('Which ledger.');
const Seq = z.coerce.number().int().positive();
const MOST_EVENTS = 200;
/** How many events are shown above the one that a link names. */
const ABOVE = 10;

export const ledgerQuery = defineQuery({
  params: z.object({
    pen,
    run: Id.optional().describe('Only events of this run.'),
    type: z.string().max(120).optional().describe('Only events of this type, such as run.ended, or of a kind: run.*'),
    text: z.string().max(1000).optional().describe('Only events with these words, or words that begin so.'),
    since: Instant.optional().describe('Only events from this moment on.'),
    until: Instant.optional().describe('Only events before this moment.'),
    before: Seq.optional().describe('Only events before this one: the next page.'),
    seq: Seq.optional().describe('An event to show among its neighbours: a permanent link.'),
    limit: z.coerce.number().int().positive().max(MOST_EVENTS).default(50).describe('At most so many.'),
  }),
  answer: LedgerAnswer,
  read: ({ home, params, views, signal }) =>
    views(async (rows) => {
      const { seq, before, ...query } = params;
      const until = before ?? (seq === undefined ? undefined : seq + ABOVE + 1);
      const { events, next } = await pageOfEvents(rows, home.ledgers, { ...query, before: until }, signal);
      const last = lastSeqOf(home.ledgers[params.pen]);
      return { pen: params.pen, events: events.map(summaryOf), next, last, types: eventTypes };
    }),
});

export const ledgerEventQuery = defineQuery({
  params: z.strictObject({ pen, seq: Seq.describe('The number of the event.') }),
  answer: LedgerEventAnswer,
  read: async ({ home, params: { pen: of, seq } }) => {
    const line = await readStoredLine(home.ledgers[of], seq);
    if (line === null) throw new OkaError('artifact-missing', `there is no event ${seq} in the ${of} ledger`);
    return { pen: of, seq, raw: line.text, offset: line.offset, bytes: line.bytes, file: line.file };
  },
});

export const ledgerLinesQuery = defineQuery({
  params: z.strictObject({
    pen,
    offset: z.coerce.number().int().nonnegative().default(0).describe('The first byte, counted from the first event.'),
    bytes: z.coerce.number().int().min(1).max(4_000_000).default(1_000_000).describe('About how much to read.'),
  }),
  answer: LedgerLinesAnswer,
  read: async ({ home, params: { pen: of, offset, bytes } }) => {
    const part = await readRawPart(home.ledgers[of], offset, bytes);
    return { pen: of, ...(part ?? { offset, end: offset, text: '', size: 0 }) };
  },
});

export const ledgerHeadQuery = defineQuery({
  params: z.strictObject({ pen }),
  answer: LedgerHeadAnswer,
  read: async ({ home, params: { pen: of } }) => {
    const { upTo, finished, faults } = readVerification(home, of);
    return {
      pen: of,
      ...extentOf(home, of),
      anchor: checkAnchors(home, of),
      background: { up_to: upTo, at: finished, damaged: faults.map(({ seq }) => seq) },
    };
  },
});

function extentOf(home: Home, of: Pen): Pick<z.input<typeof LedgerHeadAnswer>, 'events' | 'bytes' | 'archived'> {
  const history = openHistory(home.ledgers[of]);
  if (history === null) return { events: 0, bytes: 0, archived: { events: 0, segments: 0 } };
  try {
    const { segments, live } = history;
    const archived = { events: segments.at(-1)?.last ?? 0, segments: segments.length };
    return { events: lastSeqOf(home.ledgers[of]), bytes: live.base + live.size, archived };
  } finally {
    closeHistory(history);
  }
}

const LONGEST_SENTENCE = 400;

function summaryOf(event: Line): z.input<typeof LedgerAnswer>['events'][number] {
  const { seq, type, run, at, cause } = event;
  return { seq, type, run, at, cause, sentence: describeEvent(event).slice(0, LONGEST_SENTENCE) };
}
