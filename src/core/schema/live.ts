/**
 * What is streamed while work is in progress, from the process with the pen to whoever watches. It is for display only:
 * nothing of it is recorded, and it may be incomplete. One JSON object a line.
 */
import { z } from 'zod';

const about = {
  run: z.string().describe('The run.'),
  step: z.string().nullable().describe('Its step.'),
};

export const LiveMessage = z
  .discriminatedUnion('kind', [
    z.object({
      ...about,
      kind: z.literal('output').describe('A command writes.'),
      text: z.string().describe('Lines that a command wrote.'),
    }),
    z.object({
      ...about,
      kind: z.literal('text').describe('A model writes.'),
      text: z.string().describe('Text that a model wrote.'),
    }),
    z.object({
      ...about,
      kind: z.literal('tokens').describe('A model answers.'),
      count: z.int().describe('Tokens of its answer so far, estimated.'),
    }),
    z.object({ ...about, kind: z.literal('end').describe('The step does nothing more for now.') }),
  ])
  .describe('What a step does now, in the live stream of a home; never recorded.');
export type LiveMessage = z.infer<typeof LiveMessage>;
