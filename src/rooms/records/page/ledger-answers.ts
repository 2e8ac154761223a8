/** What the queries of the page Ledger answer. */
import { z } from 'zod';
import { eventTypes, type EventType, Pen } from '../../../core/schema/event.ts';
import { Id, Instant, Sha256 } from '../../../core/schema/names.ts';

const seq = z.int().positive();
const offset = z.int().nonnegative();
const Type = z.enum(eventTypes as [EventType, ...EventType[]]);

export const LedgerAnswer = z
  .strictObject({
    pen: Pen,
    events: z
      .array(
        z.strictObject({
          seq: seq.describe('Its number.'),
          type: Type.describe('What happened.'),
          run: Id.nullable().describe('The run it belongs to.'),
          at: Instant.describe('When.'),
          cause: seq.nullable().describe('The event that led to it.'),
          sentence: z.string().describe('What happened, for a person; a long one is cut.'),
        }),
      )
      .describe('The latest first.'),
    next: seq.nullable().describe('Pass it as `before` for the next page; null when there is nothing more.'),
    last: offset.describe('The number of the last event of the ledger.'),
    types: z.array(Type).describe('All types that there are.'),
  })
  .describe('A page of events.');

export const LedgerEventAnswer = z
  .strictObject({
    pen: Pen,
    seq: seq.describe('Its number.'),
    raw: z.string().describe('The line as it is stored, without the newline.'),
    offset: offset.describe('Where it begins, counted from the first event.'),
    bytes: z.int().positive().describe('Its length with the newline.'),
    file: z.string().describe('The file that contains it, in .oka or in .oka/archive.'),
  })
  .describe('One event as it is stored.');

export const LedgerLinesAnswer = z
  .strictObject({
    pen: Pen,
    offset: offset.describe('Where the text begins, counted from the first event.'),
    end: offset.describe('Where it ends: the offset of the next part.'),
    text: z.string().describe('Complete lines as they are stored, unless the ledger ends within one.'),
    size: offset.describe('Where the ledger ends now.'),
  })
  .describe('A part of a ledger as it is stored, archived events included.');

const AnchorState = z
  .discriminatedUnion('state', [
    z.strictObject({ state: z.literal('none') }),
    z.strictObject({
      state: z.literal('matches'),
      seq: seq.describe('The event that it names.'),
      hash: Sha256.describe('The hash of that event.'),
      at: Instant.describe('When it was noted.'),
      signed: z.boolean().describe('Whether the key of the home has signed it.'),
    }),
    z.strictObject({ state: z.literal('broken'), reason: z.string().describe('What is missing.') }),
  ])
  .describe('What was noted apart from the ledger about its last event.');

export const LedgerHeadAnswer = z
  .strictObject({
    pen: Pen,
    events: offset.describe('How many events it has.'),
    bytes: offset.describe('How many bytes they take, before compression.'),
    archived: z
      .strictObject({ events: offset.describe('How many events.'), segments: offset.describe('In how many files.') })
      .describe('What is in the archive.'),
    anchor: AnchorState,
    background: z
      .strictObject({
        up_to: offset.describe('The last event that was verified.'),
        at: Instant.nullable().describe('When that pass ended; null before the first one.'),
        damaged: z.array(seq).describe('Events that are damaged.'),
      })
      .describe('What the worker has verified in the background.'),
  })
  .describe('How far a ledger goes, and what is known about it.');
