/** The node kind `ask`: a person answers a question; the answer chooses a branch, and after a time the default does. */
import { z } from 'zod';
import type { KindNode, NodeKind } from '../../../core/schema/node-kind.ts';

export const ask: NodeKind = {
  kind: 'ask',
  about: 'Asks a person; its output is {branch, answer}, where the branch is the option that was chosen.',
  fields: {
    question: z.string().min(1).max(20_000).describe('The question; may contain templates.'),
    options: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(20)
      .optional()
      .describe('The possible answers; each is a branch. Without options the answer is free text, and has no branch.'),
    answer_within_seconds: z
      .number()
      .positive()
      .max(31_536_000)
      .optional()
      .describe('How long an answer is awaited; without it as long as it takes.'),
    default: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The answer after that time. Without one the node has failed then.'),
  },
  lower: ({ id, question, options, answer_within_seconds: within, default: usual }) => [
    {
      kind: 'wait',
      id,
      for: {
        kind: 'question',
        text: question as string,
        branch: true,
        ...(options === undefined ? {} : { options: options as string[] }),
        ...(within === undefined ? {} : { timeout_seconds: within as number }),
        ...(usual === undefined ? {} : { default: usual as string }),
      },
    },
  ],
  branches: branchesOf,
  problems: (node) => {
    const { default: usual, options, answer_within_seconds: within } = node;
    if (usual === undefined) return [];
    if (within === undefined)
      return [
        {
          field: 'default',
          rule: 'ask',
          problem: 'a default is never used without answer_within_seconds',
          fix: 'Say how long an answer is awaited.',
        },
      ];
    if (options === undefined || branchesOf(node).includes(usual as string)) return [];
    return [{ field: 'default', rule: 'ask', problem: 'the default is none of the options', fix: 'Name one of them.' }];
  },
};

function branchesOf(node: KindNode): string[] {
  return (node['options'] ?? []) as string[];
}
