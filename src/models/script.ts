/** A script as a file: answers, and when each is due. */
import { z } from 'zod';
import { JsonValue } from '../schema/json.ts';
import { ModelRole } from '../schema/model.ts';

const FAILURES = ['no-key', 'rate-limited', 'context-too-long', 'down', 'stalled', 'bad-answer', 'refused'] as const;

export const ScriptLine = z
  .strictObject({
    role: ModelRole.optional().describe('Only when this role asks.'),
    has: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('Only when the request holds this text, or all of these.'),
    times: z
      .union([z.int().positive(), z.literal('always')])
      .default(1)
      .describe('How often it may be used.'),
    text: z.string().default('').describe('What is said.'),
    call: z
      .strictObject({
        name: z.string().min(1).describe('The tool.'),
        input: JsonValue.default({}).describe('Its input.'),
      })
      .optional()
      .describe('The call that is the answer.'),
    usage: z
      .strictObject({
        tokens_in: z.int().nonnegative().default(0).describe('Prompt tokens to report.'),
        tokens_out: z.int().nonnegative().default(0).describe('Answer tokens to report.'),
      })
      .optional()
      .describe('What it is said to have cost.'),
    fails: z.enum(FAILURES).optional().describe('Fail in this way instead of answering.'),
  })
  .describe('One answer of a scripted model.');

export const Script = z
  .strictObject({
    $schema: z.string().optional().describe('Where an editor finds the schema of this file.'),
    about: z.string().optional().describe('What the script shows.'),
    answers: z.array(ScriptLine).min(1).describe('The first that is due and not used up is taken.'),
  })
  .describe('The answers of a scripted model, in a file named by scripted:path.json.');
export type Script = z.infer<typeof Script>;
