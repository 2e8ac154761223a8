import { z } from 'zod';
import { Budgets } from './run.ts';
import { SideEffectClass } from './tool.ts';

export const Effect = z
  .enum(['allow', 'ask', 'deny'])
  .describe('What happens to a call: it runs, a person is asked, it is refused.');
export type Effect = z.infer<typeof Effect>;

export const PolicyRule = z
  .strictObject({
    effect: Effect,
    why: z.string().max(500).optional().describe('Shown to a person when the rule decides.'),
    tool: z.string().max(120).optional().describe('Tool name; * at the end matches a family.'),
    class: SideEffectClass.optional(),
    program: z.string().max(200).optional().describe('First word of a command.'),
    path: z.string().max(1000).optional().describe('Glob over the paths a call names.'),
    host: z.string().max(253).optional().describe('Host name; *.example.org matches below.'),
    examples: z
      .array(z.string().max(2000))
      .max(50)
      .default([])
      .describe('Commands this rule must match; checked when the policy is loaded.'),
  })
  .describe('One rule; every field that is given must match.');
export type PolicyRule = z.infer<typeof PolicyRule>;

export const Policy = z
  .strictObject({
    version: z.literal(1).describe('Format of this file.'),
    defaults: z
      .strictObject({
        read: Effect,
        write_local: Effect,
        external_mutation: Effect,
        deny: z.literal('deny').describe('What is never run stays refused.'),
      })
      .describe('What happens to a class when no rule matches.'),
    budgets: Budgets.describe('Limits of one run unless the task sets lower ones.'),
    rules: z.array(PolicyRule).max(1000).default([]).describe('The strictest rule that matches decides.'),
  })
  .describe('Front matter of .oka/rules/POLICY.md: what is allowed.');
export type Policy = z.infer<typeof Policy>;
