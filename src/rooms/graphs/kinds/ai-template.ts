/** The node kind `ai_template`: a model answers a prompt, with text or with JSON that fits a schema. */
import { z } from 'zod';
import type { NodeKind } from '../../../core/schema/node-kind.ts';
import { SchemaField } from '../../../core/schema/schema-field.ts';
import { modelInput, promptFields, promptParts } from './prompt-fields.ts';

export const aiTemplate: NodeKind = {
  kind: 'ai_template',
  about: 'Asks a model to answer a prompt; its output is the answer, as text or as checked JSON.',
  fields: {
    ...promptFields,
    output_schema: SchemaField.optional().describe(
      'JSON Schema that the answer must fit. The model is asked again at most twice.',
    ),
    output_format: z
      .enum(['text', 'json'])
      .optional()
      .describe('Text, or any JSON value. Default: json with an output_schema, else text.'),
  },
  lower: (node, _graph, place) => {
    const { id, output_schema: schema, output_format: format } = node;
    const input = {
      prompt: promptParts(node, place),
      format: format ?? (schema === undefined ? 'text' : 'json'),
      ...(schema === undefined ? {} : { schema }),
      ...modelInput(node),
    };
    return [{ kind: 'tool', id, tool: 'model.template', input }];
  },
};
