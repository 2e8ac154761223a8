/** What a call may change, and what it cost. */
import { z } from 'zod';

export const SideEffectClass = z
  .enum(['read', 'write_local', 'external_mutation', 'deny'])
  .describe('What a call may change: nothing, the desk, the world outside; or it is never run.');
export type SideEffectClass = z.infer<typeof SideEffectClass>;

export const Usage = z
  .strictObject({
    tokens_in: z.int().nonnegative().optional().describe('Prompt tokens, as the provider reported them.'),
    tokens_cached: z
      .int()
      .nonnegative()
      .optional()
      .describe('Those of the prompt tokens that came from the cache of the provider.'),
    tokens_out: z.int().nonnegative().optional().describe('Completion tokens, as the provider reported them.'),
    usd: z.number().nonnegative().optional().describe('Money spent.'),
    ms: z.number().nonnegative().optional().describe('Wall time.'),
    output_bytes: z.int().nonnegative().optional().describe('Bytes the call produced.'),
    tool_calls: z.int().nonnegative().optional().describe('Calls that were made, when a run was awaited.'),
  })
  .describe('What a call cost.');
export type Usage = z.infer<typeof Usage>;
