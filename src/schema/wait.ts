import { z } from 'zod';
import { JsonValue } from './json.ts';
import { Id, Instant, Sha256 } from './names.ts';

export const WaitFor = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('approval').describe('A person has to allow something.'),
      binding: Sha256.describe('Hash of everything the approval is bound to.'),
      text: z.string().max(20_000).describe('What a person is asked to allow.'),
      expires: Instant.optional().describe('After this moment the answer is no.'),
    }),
    z.strictObject({
      kind: z.literal('question').describe('A person has to answer.'),
      text: z.string().max(20_000).describe('The question as a person reads it.'),
      options: z
        .array(z.string().max(500))
        .max(20)
        .optional()
        .describe('The answers that are possible, if not free text.'),
    }),
    z.strictObject({
      kind: z.literal('timer').describe('A moment has to come.'),
      until: Instant.describe('When the wait ends by itself.'),
    }),
    z.strictObject({
      kind: z.literal('child').describe('Another run has to end.'),
      run: Id.describe('The run whose end is awaited.'),
    }),
    z.strictObject({
      kind: z.literal('requirement').describe('Something has to be installed.'),
      name: z.string().max(200).describe('What somebody has to install.'),
    }),
    z.strictObject({
      kind: z.literal('message').describe('A reply has to arrive.'),
      thread: Id.describe('The conversation in which a reply is awaited.'),
    }),
  ])
  .describe('What is awaited. No promise is held in memory across a wait.');
export type WaitFor = z.infer<typeof WaitFor>;

export const WaitAnswer = z
  .strictObject({
    verdict: z
      .enum(['approved', 'denied', 'answered', 'elapsed', 'arrived', 'expired', 'cancelled'])
      .describe('How the wait ended.'),
    text: z.string().max(100_000).optional().describe('The words of the answer, if there were any.'),
    output: JsonValue.optional().describe('The result, when a run was awaited.'),
    by: z.string().max(200).optional().describe('Who answered: a person, a run, the clock.'),
  })
  .describe('How a wait was closed.');
export type WaitAnswer = z.infer<typeof WaitAnswer>;
