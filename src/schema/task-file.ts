import { z } from 'zod';
import { Id, Instant } from './names.ts';
import { Budgets, Mode } from './run.ts';

export const TaskFile = z
  .strictObject({
    id: Id.optional().describe('Two files with the same id are one task.'),
    title: z.string().max(500).optional().describe('Default: the first heading, else the file name.'),
    accept: z
      .array(z.string('a criterion is one text, such as "rows: totals.csv >= 12"').max(2000))
      .max(50)
      .optional()
      .describe('What must be true for the task to count as done: checks, such as "file: report.md", and sentences.'),
    mode: Mode.optional(),
    model: z.string().max(200).optional().describe('provider:model for this task alone.'),
    budget: Budgets.optional(),
    dir: z.string().max(1000).optional().describe('Folder on the desk to work in.'),
    deadline: Instant.optional().describe('After this moment the task is not started any more.'),
    priority: z.int().min(-100).max(100).optional().describe('Higher goes first; default 0.'),
    tags: z.array(z.string().max(80)).max(50).optional().describe('Words to find it by.'),
    catch_up: z.boolean().optional().describe('Whether a missed time is made up for.'),
    requires: z.array(z.string().max(200)).max(100).optional().describe('Tools that must be there before it starts.'),
    public: z
      .array(z.string().min(1).max(1000))
      .max(100)
      .optional()
      .describe('Globs of files on the desk that are no secret: having read them restricts no web request.'),
    corrects: Id.optional().describe('The finished run that this task corrects.'),
  })
  .describe('Front matter of a task file; every field is optional.');
export type TaskFile = z.infer<typeof TaskFile>;
