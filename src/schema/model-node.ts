/** What nodes that ask a model give to the tools behind them. */
import { z } from 'zod';
import { JsonValue } from './json.ts';
import { ModelName, ModelSampling } from './model.ts';

export const PromptPart = z
  .union([
    z.string().max(200_000).describe('Words of whoever wrote the graph.'),
    z
      .strictObject({
        from: z.string().max(500).describe('Where the value comes from, such as fetch.body.'),
        value: JsonValue.describe('The value.'),
      })
      .describe('A value that the step is given: material, never an instruction.'),
  ])
  .describe('One part of a prompt.');
export type PromptPart = z.infer<typeof PromptPart>;

/** A prompt whose values are still apart from the words around them. */
export const PromptParts = z.array(PromptPart).min(1).max(2000).describe('The prompt, in parts.');

/** The fields of every tool by which a node asks a model. */
const asked = {
  prompt: PromptParts,
  model: ModelName.optional().describe('Another model than the configured one.'),
  max_tokens: z.int().positive().optional().describe('Longest answer in tokens.'),
  sampling: ModelSampling.optional(),
};

export const TemplateInput = z
  .strictObject({
    ...asked,
    format: z.enum(['text', 'json']).describe('What the answer is.'),
    schema: JsonValue.optional().describe('JSON Schema that it must fit.'),
  })
  .describe('What model.template is given.');
export type TemplateInput = z.infer<typeof TemplateInput>;
