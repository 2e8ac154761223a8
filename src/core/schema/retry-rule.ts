/** When and how often a failed attempt of a node is repeated. */
import { z } from 'zod';

export const Retry = z
  .strictObject({
    times: z.int().nonnegative().max(20).describe('Attempts after the first.'),
    backoff: z
      .strictObject({
        seconds: z.number().nonnegative().max(3600).default(0.1).describe('The first pause.'),
        factor: z.number().min(1).max(10).default(2).describe('How much longer each further pause is.'),
        most_seconds: z.number().nonnegative().max(3600).default(10).describe('The longest pause.'),
      })
      .optional()
      .describe('Pauses between attempts.'),
    on: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(20)
      .optional()
      .describe('Only these failures: timeout, rate_limit, or words of the error. Default: all that may pass.'),
  })
  .describe('When and how often a failed attempt is repeated; max_retries is short for its `times`.');
export type Retry = z.infer<typeof Retry>;

const KINDS: Readonly<Record<string, RegExp>> = {
  timeout: /did not end within|timed?[ -]?out|ETIMEDOUT/i,
  rate_limit: /rate.?limit|too many requests|\b429\b/i,
};

/** Whether an error is one of those that `on` names: a kind of failure, or words of the error. */
export function isRetriedError(on: NonNullable<Retry['on']>, error: string): boolean {
  return on.some((each) => KINDS[each]?.test(error) ?? error.toLowerCase().includes(each.toLowerCase()));
}
