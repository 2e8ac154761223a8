/** What the error handler decides about a node that has failed for good, with `on_error: handle`. */
import { z } from 'zod';
import { JsonValue } from './json.ts';

/** The tool by which the engine asks a model about a failure. */
export const ERROR_DECIDE = 'error.decide';

export const ErrorDecideInput = z
  .strictObject({
    node: z.string().max(200).describe('The node that has failed.'),
    title: z.string().max(500).describe('What it does, for a person.'),
    tool: z.string().max(120).describe('The tool that it calls.'),
    input: JsonValue.describe('The input with which it failed.'),
    error: z.string().max(20_000).describe('How it failed.'),
    possible: z
      .array(z.enum(['retry', 'fallback', 'skip', 'fail']))
      .min(1)
      .describe('What can be done about it.'),
  })
  .describe('What a model is asked about a failure.');
export type ErrorDecideInput = z.infer<typeof ErrorDecideInput>;

export const ErrorDecision = z
  .strictObject({
    action: z.enum(['retry', 'fallback', 'skip', 'fail']).describe('What is done about the failure.'),
    reason: z.string().min(1).max(4000).describe('Why.'),
    input: JsonValue.optional().describe('For retry: the changed input, for the same tool and the same targets.'),
  })
  .describe('What a model decided about a failure.');
export type ErrorDecision = z.infer<typeof ErrorDecision>;
