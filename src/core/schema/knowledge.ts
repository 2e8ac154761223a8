/** What `oka memory about` answers: what is known, why, what changed lately, and the command that removes each line. */
import { z } from 'zod';
import { Id, Instant } from './names.ts';

export const KnowledgeKind = z
  .enum(['standing', 'preference', 'fact', 'lesson', 'environment', 'note'])
  .describe(
    'A standing instruction, a preference, a stated fact, a lesson of a correction or failure, this machine, or seen in tasks.',
  );
export type KnowledgeKind = z.infer<typeof KnowledgeKind>;

export const Origin = z
  .strictObject({
    text: z.string().describe('Where it is known from, in words.'),
    at: Instant.nullable().describe('When; null where the event cannot be read.'),
    run: Id.nullable().describe('The task, if there was one.'),
    seq: z.int().positive().nullable().describe('The event in the run ledger; null where none is known.'),
    person: z.string().nullable().describe('Who said it, where a name was recorded.'),
    more: z.int().nonnegative().describe('How many further events are evidence for it.'),
  })
  .describe('Why something is known: the latest event that is evidence for it.');
export type Origin = z.infer<typeof Origin>;

const forget = z.string().describe('The command that removes it.');

export const KnownLine = z
  .strictObject({
    id: Id,
    kind: KnowledgeKind,
    namespace: z.string().describe('Its topic.'),
    text: z.string().describe('What is known.'),
    learned: Instant.describe('When it was stored first.'),
    expires: Instant.nullable().describe('When it stops to be valid; null for never.'),
    why: Origin,
    forget,
  })
  .describe('Something that is known.');
export type KnownLine = z.infer<typeof KnownLine>;

export const Habit = z
  .strictObject({
    id: Id,
    title: z.string().describe('The tasks that it does.'),
    since: Instant.nullable().describe('Since when it is used.'),
    runs: z.array(Id).describe('The tasks that it was learned from.'),
    why: z.string().describe('Why it is used, in words.'),
    forget,
  })
  .describe('Tasks that are done by a learned procedure.');
export type Habit = z.infer<typeof Habit>;

const period = { at: Instant.describe('When.') };

export const KnowledgeChange = z
  .discriminatedUnion('change', [
    z.strictObject({
      ...period,
      change: z.literal('learned').describe('It is new.'),
      id: Id,
      text: z.string().describe('What was learned.'),
      why: Origin,
      forget,
    }),
    z.strictObject({
      ...period,
      change: z.literal('superseded').describe('Something newer replaced it.'),
      id: Id,
      before: z.string().describe('What was known before.'),
      by: Id.describe('What replaced it.'),
      text: z.string().nullable().describe('What is known now; null where that was forgotten, too.'),
      why: Origin,
      undo: z.string().nullable().describe('The command that restores it; null where a person replaced it.'),
    }),
    z.strictObject({
      ...period,
      change: z.literal('forgotten').describe('It is no longer known.'),
      id: Id,
      text: z.string().nullable().describe('What was known; null where a person removed it.'),
      reason: z.string().describe('Why, in words.'),
    }),
    z.strictObject({
      ...period,
      change: z.literal('habit').describe('A procedure is used now, or no longer used.'),
      id: Id,
      title: z.string().describe('The tasks that it does.'),
      to: z.string().describe('Its status.'),
      reason: z.string().describe('Why, in words.'),
      undo: z.string().nullable().describe('The command that reverts it.'),
    }),
  ])
  .describe('A change in what is known.');
export type KnowledgeChange = z.infer<typeof KnowledgeChange>;

export const MemoryAbout = z
  .strictObject({
    since: Instant.describe('The beginning of the period.'),
    known: z.array(KnownLine).describe('By kind and topic, the most important first.'),
    habits: z.array(Habit).describe('What is done by itself.'),
    changes: z.array(KnowledgeChange).describe('What changed in the period, in its order.'),
  })
  .describe('What is known about the operator, and what changed lately.');
export type MemoryAbout = z.infer<typeof MemoryAbout>;
