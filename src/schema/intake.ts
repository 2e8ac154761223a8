import { z } from 'zod';
import { CallId, Id, Instant } from './names.ts';
import { WaitAnswer } from './wait.ts';

export const Intake = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('answer').describe('Answer something that is awaited.'),
      wait: CallId.describe('The wait that is answered.'),
      answer: WaitAnswer,
    }),
    z.strictObject({ kind: z.literal('cancel').describe('End a run before its time.'), run: Id }),
    z.strictObject({ kind: z.literal('pause').describe('Hold a run until it is resumed.'), run: Id }),
    z.strictObject({ kind: z.literal('resume').describe('Let a paused run go on.'), run: Id }),
    z.strictObject({ kind: z.literal('undo').describe('Take back what a run changed on the desk.'), run: Id }),
    z.strictObject({
      kind: z.literal('archive').describe('Move old finished runs out of the live ledger.'),
      before: Instant.describe('Finished runs older than this go into the archive.'),
    }),
  ])
  .describe('A request from another process to the holder of the pen, dropped into .oka/intake.');
export type Intake = z.infer<typeof Intake>;
