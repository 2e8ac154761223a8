/** The tool with which an agent starts a task for work that takes more than a few steps. */
import { z } from 'zod';
import type { Outcome, Tool } from '../../core/schema/tool.ts';
import { defineTool } from '../../kit/define-tool.ts';

export const TaskStart = z.strictObject({
  text: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .describe('What is to be done, complete: whoever does it does not read the conversation.'),
  title: z.string().trim().min(1).max(200).optional().describe('What it is about, in one line.'),
  criteria: z
    .array(z.string().trim().min(1).max(2000))
    .max(20)
    .optional()
    .describe('What must be true for it to count as done, such as "file: report.md".'),
});
export type TaskStart = z.infer<typeof TaskStart>;

/** Starts a task for the reply `run`; the same input again is the same task. */
export type StartTask = (run: string, input: TaskStart) => Promise<Outcome>;

/** Only replies are offered it. */
export const TASK_START = 'task.start';

export function taskStartTool(start: StartTask): Tool {
  return defineTool({
    name: TASK_START,
    internal: true,
    about:
      'Starts a task, which goes on when you have answered; a message follows when it waits for a person or has ended.',
    input: TaskStart,
    output: z.strictObject({
      task: z.string().describe('The name of the task.'),
      note: z.string().describe('What happens next.'),
    }),
    annotations: { read_only: false, idempotent: true, risk: 'low' },
    targets: [],
    class: 'write_local',
    act: (input, call) => start(call.run, input),
  });
}
