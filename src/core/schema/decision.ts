import { z } from 'zod';
import { JsonValue } from './json.ts';

const remembered = {
  note: z.string().min(1).max(4000).optional().describe('What the worker wants to remember; it stays in its prompt.'),
  show: z
    .array(z.int().positive())
    .max(20)
    .optional()
    .describe('Turns, from 1, whose results the worker wants to see again.'),
};

const rationale = z.string().max(4000).default('').describe('Why, in a sentence or two; shown by `oka explain`.');

/** How a worker came to a figure: the value, and a command that prints it from the files. */
export const Figure = z
  .strictObject({
    value: z.string().min(1).max(200).describe('The figure.'),
    command: z.string().min(1).max(2000).describe('Prints it from the files.'),
  })
  .describe('How it is computed.');

const figures = z.array(Figure).max(20).optional().describe('Figures that were computed, each with its command.');

export const Decision = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('CallTool').describe('Call a tool.'),
      tool: z.string().max(120).describe('Name of a tool that is eligible in this state.'),
      input: JsonValue.describe("Arguments, matching the tool's input schema."),
      also: z
        .array(
          z.strictObject({
            tool: z.string().max(120).describe('Name of the tool.'),
            input: JsonValue.describe('Its arguments.'),
          }),
        )
        .min(1)
        .max(255)
        .optional()
        .describe('Further calls of the same turn, in this order; reads next to each other are made together.'),
      finish: z
        .strictObject({ output: JsonValue.describe('The result.'), figures, rationale })
        .optional()
        .describe('Ends the work with this result if every call of the turn succeeds.'),
      rationale,
      ...remembered,
    }),
    z.strictObject({
      kind: z.literal('Transition').describe('Continue in another state.'),
      to: z.string().max(80).describe('Name of the next state.'),
      rationale,
      ...remembered,
    }),
    z.strictObject({
      kind: z.literal('AskHuman').describe('Ask a person and wait for the answer.'),
      question: z
        .string()
        .min(1)
        .max(20_000)
        .describe('One question that a person can answer without reading the code.'),
      options: z.array(z.string().max(500)).max(20).optional().describe('The possible answers, if not free text.'),
      rationale,
      ...remembered,
    }),
    z.strictObject({
      kind: z.literal('Finish').describe('End with a result.'),
      output: JsonValue.describe('The result.'),
      figures,
      rationale,
      ...remembered,
    }),
    z.strictObject({
      kind: z.literal('Fail').describe('End because it cannot be done.'),
      reason: z.string().min(1).max(4000).describe('What cannot be done and why.'),
      rationale,
      ...remembered,
    }),
  ])
  .describe('What to do next: the five possible answers of a graph node or of a turn of a model.');
export type Decision = z.infer<typeof Decision>;
