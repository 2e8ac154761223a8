import { z } from 'zod';
import { Evidence } from './memory.ts';
import { Id, Instant } from './names.ts';

export const Procedure = z
  .strictObject({
    id: Id,
    title: z.string().max(200).describe('What it is good for.'),
    trigger: z.array(z.string().max(500)).min(1).max(50).describe('When it applies.'),
    steps: z.array(z.string().max(4000)).min(1).max(100).describe('What to do, in order.'),
    pitfalls: z.array(z.string().max(1000)).max(50).default([]).describe('What went wrong before.'),
    checklist: z.array(z.string().max(1000)).max(50).default([]).describe('How to see that it worked.'),
    last_validated: Instant.nullable().describe('When it last proved itself.'),
    status: z.enum(['candidate', 'promoted', 'demoted', 'retired']).describe('Whether it is used.'),
    evidence: z.array(Evidence).max(1000).describe('The runs behind it.'),
  })
  .describe('A reusable playbook, proven by runs.');
export type Procedure = z.infer<typeof Procedure>;
