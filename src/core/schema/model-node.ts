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
const PromptParts = z.array(PromptPart).min(1).max(2000).describe('The prompt, in parts.');

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

export const BranchOption = z
  .strictObject({
    name: z.string().min(1).max(200).describe('Name of the branch.'),
    meaning: z.string().min(1).max(4000).describe('When it is the right one.'),
  })
  .describe('A branch that a model may choose.');
export type BranchOption = z.infer<typeof BranchOption>;

export const ChoiceInput = z
  .strictObject({
    ...asked,
    options: z.array(BranchOption).min(1).max(50).describe('The branches.'),
    default: z.string().min(1).max(200).optional().describe('The branch without a choice of the model.'),
  })
  .describe('What model.choose is given.');
export type ChoiceInput = z.infer<typeof ChoiceInput>;

export const Choice = z
  .strictObject({
    branch: z.string().max(200).describe('The branch that is followed.'),
    reason: z.string().max(4000).describe('Why.'),
    by: z.literal('default').optional().describe('Present when the model did not choose it.'),
  })
  .describe('The branch that an llm_condition has chosen.');
export type Choice = z.infer<typeof Choice>;
