/** The part of config.json about conversations. */
import { z } from 'zod';
import { Budgets } from './run.ts';

export const ChatConfig = z
  .strictObject({
    at_once: z.int().positive().max(100).default(4).describe('How many conversations are answered at the same time.'),
    reply: Budgets.prefault({ tool_calls: 60, tokens: 400_000, seconds: 1800 }).describe(
      'Upper limits of one reply; an agent may have lower ones.',
    ),
    idle_seconds: z
      .int()
      .positive()
      .max(86_400)
      .default(600)
      .describe('A reply that has made no progress for so long is stopped.'),
    chain: z
      .strictObject({
        calls: z.int().positive().default(2000).describe('Calls of tools and models.'),
        tokens: z.int().positive().default(5_000_000).describe('Tokens, in and out.'),
        usd: z.number().positive().default(10).describe('US dollars.'),
      })
      .prefault({})
      .describe('Upper limits of all replies to one message of a person, forwards included.'),
  })
  .describe('Conversations.');
export type ChatConfig = z.infer<typeof ChatConfig>;
