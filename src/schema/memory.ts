import { z } from 'zod';
import { Id, Instant } from './names.ts';

export const Evidence = z
  .strictObject({
    run: Id.nullable().describe('The run, if there was one.'),
    seq: z.int().positive().describe('The event in the ledger.'),
  })
  .describe('Where something is known from.');
export type Evidence = z.infer<typeof Evidence>;

export const Fact = z
  .strictObject({
    id: Id,
    namespace: z.string().max(120).default('general').describe('Topic under which it is kept.'),
    text: z.string().min(1).max(4000).describe('The fact or preference, in one or two sentences.'),
    importance: z.number().min(0).max(1).default(0.5).describe('How much it should weigh when memory is searched.'),
    confidence: z.number().min(0).max(1).default(0.5).describe('How sure it is.'),
    source: z
      .enum(['person', 'task', 'run', 'tool', 'import'])
      .describe('Who said it. What tools say never becomes a fact by itself.'),
    expires: Instant.optional().describe('After this moment it is no longer used.'),
    superseded_by: Id.optional().describe('The newer fact that took its place.'),
    evidence: z.array(Evidence).min(1).max(100).describe('The events behind it.'),
  })
  .describe('Something the assistant believes, with its evidence.');
export type Fact = z.infer<typeof Fact>;
