/** What the page Memory asks for and is answered. */
import { z } from 'zod';
import { KnowledgeKind, Origin } from '../../../core/schema/knowledge.ts';
import { Evidence, Fact, FactGiven } from '../../../core/schema/memory.ts';
import { Id, Instant } from '../../../core/schema/names.ts';
import { Pen } from '../../../core/schema/event.ts';

export const FactLine = z
  .strictObject({
    id: Id,
    kind: KnowledgeKind,
    namespace: z.string().describe('Its topic.'),
    text: z.string().describe('What is known.'),
    source: Fact.shape.source,
    confidence: z.number().describe('How sure it is, 0 to 1.'),
    importance: z.number().describe('How much it weighs, 0 to 1.'),
    since: Instant.describe('Since when it is so.'),
    expires: Instant.nullable().describe('When it ends; null for never.'),
    superseded_by: Id.nullable().describe('The newer fact that took its place.'),
    evidence: Evidence.nullable().describe('The latest event behind it.'),
    more: z.int().nonnegative().describe('How many further events are evidence for it.'),
  })
  .describe('Something that is known.');
export type FactLine = z.infer<typeof FactLine>;

export type MemoryAnswer = z.infer<typeof MemoryAnswer>;
export const MemoryAnswer = z
  .strictObject({
    facts: z.array(FactLine).describe('Those that were asked for, by kind and topic, the most important first.'),
    matching: z.int().nonnegative().describe('How many there are; more than are listed, perhaps.'),
    counts: z.record(z.string(), z.int()).describe('How many valid facts there are of each kind.'),
    topics: z.array(z.string()).describe('The topics of valid facts.'),
  })
  .describe('What is known.');

export type FactAnswer = z.infer<typeof FactAnswer>;
export const FactAnswer = FactLine.extend({
  state: z.enum(['valid', 'superseded', 'expired']).describe('Whether it still counts.'),
  original: z.string().nullable().describe('Its first wording, where a model reworded it.'),
  origins: z.array(Origin).describe('The events behind it, the latest first.'),
}).describe('A fact, with where it is known from.');

export const LearnedLine = z
  .strictObject({
    pen: Pen.describe('The ledger that has the event.'),
    seq: z.int().positive().describe('The event.'),
    at: Instant.describe('When.'),
    type: z.string().describe('What kind of change it is.'),
    run: Id.nullable().describe('The run it came from.'),
    text: z.string().describe('The change, in a sentence.'),
    fact: Id.nullable().describe('The fact that it is about.'),
    procedure: Id.nullable().describe('The procedure that it is about.'),
    undo: z
      .enum(['take_back', 'forget', 'demote'])
      .nullable()
      .describe('How it can be undone: by its number, by forgetting the fact, by no longer using the procedure.'),
    undone: z.boolean().describe('Whether it was undone.'),
  })
  .describe('Something that was learned or forgotten.');
export type LearnedLine = z.infer<typeof LearnedLine>;

export type LearnedAnswer = z.infer<typeof LearnedAnswer>;
export const LearnedAnswer = z
  .strictObject({
    since: Instant.describe('The beginning of the period.'),
    changes: z.array(LearnedLine).describe('The latest first.'),
    complete: z.boolean().describe('False when there are more than are listed.'),
  })
  .describe('What was learned lately.');

export type StatementAnswer = z.infer<typeof StatementAnswer>;
export const StatementAnswer = z
  .strictObject({ fact: FactGiven })
  .describe('A statement of a person as the fact it would be, for the intake remember.');
