import { z } from 'zod';
import { JsonValue } from './json.ts';

const rationale = z.string().max(4000).default('').describe('Why, in a sentence or two; shown by `oka explain`.');

export const Decision = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('CallTool'),
      tool: z.string().max(120).describe('Name of a tool that is eligible in this state.'),
      input: JsonValue.describe("Arguments, matching the tool's input schema."),
      rationale,
    }),
    z.strictObject({
      kind: z.literal('Transition'),
      to: z.string().max(80).describe('Name of the next state.'),
      rationale,
    }),
    z.strictObject({
      kind: z.literal('AskHuman'),
      question: z
        .string()
        .min(1)
        .max(20_000)
        .describe('One question that a person can answer without reading the code.'),
      options: z.array(z.string().max(500)).max(20).optional().describe('The possible answers, if not free text.'),
      rationale,
    }),
    z.strictObject({ kind: z.literal('Finish'), output: JsonValue.describe('The result.'), rationale }),
    z.strictObject({
      kind: z.literal('Fail'),
      reason: z.string().min(1).max(4000).describe('What cannot be done and why.'),
      rationale,
    }),
  ])
  .describe('The five words with which a graph node and a model turn answer: what next?');
export type Decision = z.infer<typeof Decision>;
