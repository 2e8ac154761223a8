/** What the steps of a task's run pass to each other: the task as it was given, the plan, the judgement. */
import { z } from 'zod';
import { JsonValue } from './json.ts';
import { Id, Sha256 } from './names.ts';
import { TaskFile } from './task-file.ts';

export const TaskGiven = z
  .strictObject({
    name: z.string().max(1000).describe('Name of the file or folder that came in.'),
    title: z.string().max(500).describe('What it is about.'),
    body: Sha256.describe('The text below the front matter; stored as an artifact.'),
    text: Sha256.optional().describe(
      'The whole text as it came in; stored as an artifact. Earlier versions did not say.',
    ),
    fields: TaskFile.describe('The front matter.'),
    first_line: z.int().positive().describe('Line of the file at which the text begins.'),
    dir: z.string().max(1000).nullable().describe('Folder on the desk it works in; null for the top.'),
  })
  .describe('A task as it was accepted: the input of its run.');
export type TaskGiven = z.infer<typeof TaskGiven>;

export const PlanInput = z.strictObject({ task: TaskGiven }).describe('What a plan is asked for.');

export const Planned = z
  .strictObject({
    by: z
      .enum(['runbook', 'model', 'procedure'])
      .describe('Who planned: the fences of the task, a model, or a procedure that has proven itself.'),
    graph: Id.describe('Name under which the steps can be run.'),
    sha256: Sha256.describe('The steps as a graph; stored as an artifact.'),
    input: JsonValue.describe('What they are started with.'),
    criteria: z
      .array(
        z.strictObject({
          text: z.string().max(2000).describe('The criterion.'),
          author: z.enum(['operator', 'model']).describe('Who wants it.'),
          before: z
            .boolean()
            .optional()
            .describe('Whether it was met already before the work began, where that was tried.'),
        }),
      )
      .max(200)
      .describe('The criteria of the task, fixed before the work starts.'),
    replaced: z
      .array(
        z.strictObject({
          text: z.string().max(2000).describe('The criterion that was dropped; always one of a model.'),
          by: z.string().max(2000).describe('The one that took its place.'),
          reason: z.string().max(2000).describe('Why it could not be met.'),
        }),
      )
      .max(20)
      .optional()
      .describe('Criteria of the plan before that were provably broken.'),
    note: z
      .string()
      .max(1000)
      .optional()
      .describe('How the task was read, where its author may have meant something else.'),
    tools: z.array(z.string().max(120)).max(200).describe('Tools that the steps may use.'),
    targets: z
      .array(z.string().max(500))
      .max(1000)
      .nullable()
      .describe('What may change; null when a person wrote the steps.'),
  })
  .describe('A plan.');
export type Planned = z.infer<typeof Planned>;

export const CritiqueInput = z
  .strictObject({
    task: TaskGiven,
    plan: Planned,
    end: z
      .strictObject({
        run: Id,
        status: z.enum(['done', 'failed', 'cancelled']).describe('How the steps ended.'),
        reason: z.string().describe('Why.'),
        output: JsonValue.describe('What they gave.'),
      })
      .describe('The outcome of the steps.'),
  })
  .describe('What is judged.');

export const Critique = z
  .strictObject({
    verdict: z.enum(['done', 'rework']).describe('Whether it is done, or has to be planned again.'),
    reason: z.string().describe('Why.'),
  })
  .describe('A judgement that decides how the run continues.');

/** Whether a run is of a task that came in as a mail, or does one again: whoever can write in your name opens nothing. */
export const isOfMail = (run: string): boolean => /^mail-[0-9a-f]{24}(?:-|$)/.test(run);
