/** What a member of a fleet lets the others know: one value for each member, with everything that it shares now. */
import { z } from 'zod';
import { Fact } from './memory.ts';
import { Id, Instant } from './names.ts';

/** The most bytes that a member shares. */
export const MOST_SHARED_BYTES = 256 * 1024;
/** The most facts that a member shares. */
export const MOST_SHARED_FACTS = 500;

export const SharedFact = z
  .strictObject({
    id: Id.describe('Its name at its home.'),
    namespace: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/)
      .describe('Its topic.'),
    text: z
      .string()
      .min(1)
      .max(2000)
      .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u)
      .describe('One line.'),
    importance: Fact.shape.importance,
    confidence: Fact.shape.confidence,
    expires: Instant.optional(),
  })
  .describe('A fact that a member shares. Who shares it is not in it: that is where it was stored.');
export type SharedFact = z.infer<typeof SharedFact>;

/** Each fact is checked by itself, so that a newer version of one does not hide the others. */
export const SharedMemory = z.looseObject({ facts: z.array(z.unknown()).max(MOST_SHARED_FACTS) });
