import { z } from 'zod';
import type { Tool } from '../../../core/schema/tool.ts';
import { defineTool } from '../../../kit/define-tool.ts';

/** Asking is not acting: the class is `read`. The answer comes as the end of the wait, so nothing stays in memory. */
export function humanTool(): Tool {
  return defineTool({
    name: 'human.ask',
    internal: true,
    about: 'Asks a person and waits for the answer, for days if need be.',
    input: z.strictObject({
      question: z.string().min(1).max(20_000).describe('One question that a person can answer without reading code.'),
      options: z.array(z.string().min(1).max(500)).min(1).max(20).optional().describe('The possible answers.'),
    }),
    output: z.string().describe('The answer.'),
    annotations: { read_only: true, idempotent: true, cacheable: false, risk: 'low' },
    targets: [],
    class: 'read',
    act: ({ question, options }) => ({
      status: 'waiting',
      for: { kind: 'question', text: question, ...(options === undefined ? {} : { options }) },
    }),
  });
}
