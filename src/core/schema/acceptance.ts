/** How the acceptance of a step is checked: the engine calls one tool, at three moments. */
import { z } from 'zod';
import { NodeId } from './names.ts';

/** The tool that checks the acceptance of a step. The engine calls it, and it makes calls of its own. */
export const STEP_CHECK = 'step.check';

export const CheckMoment = z
  .enum(['before', 'after', 'doubt'])
  .describe(
    'before: right before the call, since a check that passes anyway proves nothing. after: the step has ended without an error. doubt: nobody saw how the call ended.',
  );
export type CheckMoment = z.infer<typeof CheckMoment>;

export const StepCheckInput = z
  .strictObject({
    node: NodeId,
    when: CheckMoment,
    checks: z.array(z.string().max(2000)).max(50).describe('The acceptance of the step.'),
  })
  .describe('What is to be checked for a step.');
export type StepCheckInput = z.infer<typeof StepCheckInput>;

export const StepCheckOutput = z
  .strictObject({
    holds: z.boolean().nullable().describe('Whether all checks pass; null when that is unknown.'),
    reason: z.string().max(8000).describe('The checks that fail, each with what was found.'),
    found: z
      .array(
        z.strictObject({
          text: z.string().max(200).describe('The check, shortened.'),
          holds: z.boolean().describe('Whether it passes.'),
          evidence: z.string().max(300).describe('What was found, shortened.'),
        }),
      )
      .max(50)
      .describe('Every check that was carried out.'),
  })
  .describe('What the checks of a step found.');
export type StepCheckOutput = z.infer<typeof StepCheckOutput>;
