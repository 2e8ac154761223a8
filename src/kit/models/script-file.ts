/** Owns: the file format of a scripted model: answers, and when each applies. */
import { z } from 'zod';
import { JsonValue } from '../../core/schema/json.ts';
import { ModelRole } from '../../core/schema/model.ts';

const FAILURES = ['no-key', 'rate-limited', 'context-too-long', 'down', 'stalled', 'bad-answer', 'refused'] as const;

export const ScriptLine = z
  .strictObject({
    role: ModelRole.optional().describe('Only for requests of this role.'),
    has: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('Only if the request contains this text, or all of these.'),
    times: z
      .union([z.int().positive(), z.literal('always')])
      .default(1)
      .describe('How often it may be used.'),
    text: z.string().default('').describe('The text of the answer.'),
    call: z
      .strictObject({
        name: z.string().min(1).describe('The tool.'),
        input: JsonValue.default({}).describe('Its input.'),
      })
      .optional()
      .describe('The call that is the answer.'),
    more: z
      .array(
        z.strictObject({
          name: z.string().min(1).describe('The tool.'),
          input: JsonValue.default({}).describe('Its input.'),
        }),
      )
      .optional()
      .describe('Further calls in the same answer.'),
    usage: z
      .strictObject({
        tokens_in: z.int().nonnegative().default(0).describe('Prompt tokens to report.'),
        tokens_out: z.int().nonnegative().default(0).describe('Answer tokens to report.'),
      })
      .optional()
      .describe('Cost to report, in USD.'),
    fails: z.enum(FAILURES).optional().describe('Fail with this kind of error instead of answering.'),
  })
  .describe('One answer of a scripted model.');

export const Script = z
  .strictObject({
    $schema: z.string().optional().describe('The JSON schema of this file, for editors.'),
    about: z.string().optional().describe('What the script is for.'),
    answers: z.array(ScriptLine).min(1).describe('The first answer that applies and is not used up is returned.'),
  })
  .describe('The answers of a scripted model, in a file named by scripted:path.json.');
export type Script = z.infer<typeof Script>;
