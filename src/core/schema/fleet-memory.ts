/** What a member of a fleet lets the others know: one value for each member, with everything that it shares now. */
import { z } from 'zod';
import { Fact } from './memory.ts';
import { Id, Instant } from './names.ts';
import { Procedure } from './procedure.ts';

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

/** The most procedures that a member shares, and what they take of its bytes. */
export const MOST_SHARED_PROCEDURES = 50;
export const MOST_PROCEDURES_BYTES = 96 * 1024;
const MOST_PROCEDURE_BYTES = 16 * 1024;

/** What a procedure is without its home: no title, no tasks, no runs, and nothing that a person there wanted checked. */
export const SharedProcedure = Procedure.pick({ task: true, parameters: true, graph: true })
  .extend({
    id: Id.describe('Its name at its home.'),
    criteria: z.array(z.string().max(2000)).max(50).describe('What its plan checks, with {{name}} for what differs.'),
    targets: z.array(z.string().max(500)).max(100).describe('What may change, with {{name}} for what differs.'),
  })
  .refine((shared) => JSON.stringify(shared).length <= MOST_PROCEDURE_BYTES, 'it is too large')
  .describe('A procedure that a member shares. Who shares it is where it was stored.');
export type SharedProcedure = z.infer<typeof SharedProcedure>;

export type Shared = { facts: SharedFact[]; procedures: SharedProcedure[] };

const SharedMemory = z.looseObject({
  facts: z.array(z.unknown()).max(MOST_SHARED_FACTS),
  procedures: z.array(z.unknown()).max(MOST_SHARED_PROCEDURES).default([]),
});

/**
 * What a member shares; null when it cannot be read, and then nothing changes here. Each fact and procedure is checked by
 * itself, so that a newer version of one does not hide the others.
 */
export function readShared(text: string | null): Shared | null {
  try {
    const { facts, procedures } = SharedMemory.parse(JSON.parse(text ?? ''));
    return {
      facts: facts.flatMap((each) => SharedFact.safeParse(each).data ?? []),
      procedures: procedures.flatMap((each) => SharedProcedure.safeParse(each).data ?? []),
    };
  } catch {
    return null;
  }
}
