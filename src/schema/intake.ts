import { z } from 'zod';
import { Id, Instant } from './names.ts';
import { WaitAnswer } from './wait.ts';

export const Intake = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('answer'), wait: Id.describe('The wait that is answered.'), answer: WaitAnswer }),
    z.strictObject({ kind: z.literal('cancel'), run: Id }),
    z.strictObject({ kind: z.literal('pause'), run: Id }),
    z.strictObject({ kind: z.literal('resume'), run: Id }),
    z.strictObject({
      kind: z.literal('archive'),
      before: Instant.describe('Finished runs older than this go into the archive.'),
    }),
  ])
  .describe('A request from another process to the holder of the pen, dropped into .oka/intake.');
export type Intake = z.infer<typeof Intake>;
