/** What the page of a run shows first, as data. The descriptions are the documentation of `GET /api/v1/run`. */
import { z } from 'zod';
import { Id, Instant, NodeId } from '../../../core/schema/names.ts';
import { Budgets, Mode, NodeStatus, RunStatus } from '../../../core/schema/run.ts';
import { Cost, OpenWait } from '../../../core/schema/view-answers.ts';
import { Awaited } from '../../../kit/web/awaited.ts';
import { SHAPES } from '../../../kit/web/how-shown.ts';

const ShortRun = z
  .strictObject({
    run: Id,
    title: z.string().describe('What it is about.'),
    status: RunStatus,
    why: z.string().describe('How the two belong together, such as "corrects it".'),
  })
  .describe('Another run that has to do with this one.');
export type ShortRun = z.infer<typeof ShortRun>;

const StepAnswer = z
  .strictObject({
    run: Id.describe('The run that it is a step of: this one, or that of a plan.'),
    id: NodeId,
    title: z.string().describe('What it does.'),
    needs: z.array(NodeId).describe('Steps that come before.'),
    status: NodeStatus,
    started: Instant.nullable().describe('When work on it began.'),
    ended: Instant.nullable().describe('When it ended.'),
    calls: z.int().nonnegative().describe('How many calls it made.'),
    reason: z.string().describe('What went wrong, if something did.'),
  })
  .describe('A step.');

const acts = ['cancel', 'pause', 'resume', 'undo', 'correct', 'again', 'note', 'save_graph'] as const;

export const RunAnswer = z
  .strictObject({
    run: Id,
    title: z.string().describe('What it is about.'),
    kind: z.enum(['task', 'graph']).describe('A task from the inbox, or a run of a graph.'),
    status: RunStatus,
    verdict: z.string().describe('The status in one word, with the judgement of the critic.'),
    reason: z.string().describe('Why it ended so, or why it does not go on.'),
    state: z.string().describe('Name of the current state, such as EXECUTE.'),
    mode: Mode.nullable(),
    graph: z.string().describe('Name of its graph.'),
    received: Instant.describe('When its first event was written.'),
    started: Instant.nullable().describe('When it started.'),
    ended: Instant.nullable().describe('When it ended.'),
    answer: z.string().nullable().describe('What the worker answered in the end, as markdown.'),
    output: z.unknown().describe('What the run returned, if it is no task.'),
    task: z.string().nullable().describe('The task as it was written; null when it is not stored.'),
    deliverables: z
      .array(
        z.strictObject({
          path: z.string().describe('Relative to the folder of the result.'),
          bytes: z.int().nonnegative().describe('How large it is.'),
          href: z.string().describe('Where it can be read, relative to the dashboard.'),
          shown: z.enum(SHAPES).describe('How to show it.'),
        }),
      )
      .describe('Files in the folder of the result.'),
    steps: z.array(StepAnswer).describe('The steps; of a task those of its latest plan.'),
    earlier_plans: z
      .array(z.strictObject({ run: Id, status: RunStatus, steps: z.array(StepAnswer) }))
      .describe('Plans of a task that were replaced.'),
    graph_run: Id.describe('The run whose graph the steps are.'),
    criteria: z
      .array(
        z.strictObject({
          text: z.string().describe('The criterion.'),
          holds: z.boolean().describe('Whether it is met.'),
          evidence: z.string().describe('What was seen.'),
          by: z.string().describe('Who checked it.'),
        }),
      )
      .describe('What was asked for, and what was found.'),
    waits: z.array(OpenWait.extend({ run: Id })).describe('What is awaited now.'),
    awaited: z.array(Awaited).describe('Those of the waits that a person can end, with all that is needed for it.'),
    children: z.array(ShortRun).describe('Runs that it started.'),
    related: z.array(ShortRun).describe('Earlier and later runs that belong to it.'),
    replans: z
      .array(z.strictObject({ seq: z.int(), at: Instant, reason: z.string() }))
      .describe('When and why it was planned again.'),
    notes: z
      .array(
        z.strictObject({
          seq: z.int().describe('The event.'),
          at: Instant,
          text: z.string().describe('What the person wrote.'),
          state: z.string().describe('Whether the worker has read it.'),
        }),
      )
      .describe('Notes that a person sent to the worker.'),
    cost: Cost.extend({ model_calls: z.int().nonnegative(), active_ms: z.number().nonnegative() }),
    model: z.string().nullable().describe('The model that worked; null when none was needed.'),
    budgets: Budgets,
    egress: z
      .array(z.strictObject({ host: z.string(), verdict: z.enum(['allowed', 'refused']), count: z.int() }))
      .describe('Hosts that it wanted to reach.'),
    undone: Instant.nullable().describe('When its changes were undone.'),
    acts: z.array(z.enum(acts)).describe('What can be done with it now.'),
    events: z.strictObject({ first: z.int(), last: z.int(), count: z.int() }).describe('Its events in the run ledger.'),
  })
  .describe('A run: its answer first, then how it came about.');
export type RunAnswer = z.infer<typeof RunAnswer>;
export type Act = (typeof acts)[number];
