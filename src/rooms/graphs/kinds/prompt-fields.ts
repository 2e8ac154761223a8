/** Owns: what the node kinds that ask a model have in common: their fields, and the prompt as the parts it consists of. */
import { z } from 'zod';
import { splitTemplate } from '../../../core/engine/template.ts';
import type { Json } from '../../../core/schema/json.ts';
import { ModelName, ModelSampling } from '../../../core/schema/model.ts';
import type { KindNode, LoweredPlace } from '../../../core/schema/node-kind.ts';

export const promptFields = {
  prompt: z
    .string()
    .min(1)
    .max(200_000)
    .describe(
      'What the model is asked; may contain templates. The values they give are marked as data, so that no instruction in them is followed. Without any template the input of the node is added.',
    ),
  model: ModelName.optional().describe('Another model than the configured one, provider:model.'),
  options: ModelSampling.extend({
    max_tokens: z.int().positive().max(1_000_000).optional().describe('Longest answer in tokens.'),
  })
    .optional()
    .describe('How the model answers. In mode strict the temperature is 0, whatever is set here.'),
};

type Part = string | { from: string; value: Json };

/** The words of the prompt, with a template for each value between them; filled when the node starts. */
export function promptParts({ prompt, input }: KindNode, { isItem }: LoweredPlace): Part[] {
  const parts = splitTemplate(prompt as string).map(toPart);
  const own = isItem ? 'item' : 'last';
  if (input !== undefined) return [...parts, { from: 'the input of this step', value: input }];
  return parts.some((part) => typeof part !== 'string') ? parts : [...parts, { from: own, value: `{{${own}}}` }];
}

function toPart(part: string | { path: string }): Part {
  return typeof part === 'string' ? part : { from: part.path, value: `{{${part.path}}}` };
}

/** The fields by which a node sets the model that it asks. */
export function modelInput({ model, options }: KindNode): { [field: string]: Json } {
  const { max_tokens, ...sampling } = (options ?? {}) as { [option: string]: Json };
  return {
    ...(model === undefined ? {} : { model }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
    ...(Object.keys(sampling).length === 0 ? {} : { sampling }),
  };
}
