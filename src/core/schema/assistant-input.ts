/** What other programs give to the tools of the assistant (app/assistant). */
import { z } from 'zod';

const run = z.string().min(1).max(80).describe('The name of the run, as oka_add_task gave it.');

export const AddTaskInput = z.object({
  text: z.string().min(1).max(1_000_000).describe('The task.'),
  title: z.string().min(1).max(200).optional().describe('A short title.'),
});
export const StatusInput = z.object({ run: run.optional() });
export const RunInput = z.object({ run });
export const SearchMemoryInput = z.object({
  query: z.string().min(1).max(2000).describe('What to search for.'),
  limit: z.int().positive().max(50).default(10).describe('Most results.'),
});
