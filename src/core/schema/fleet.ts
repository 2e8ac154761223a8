/** What the members of a fleet send each other, and what their ledgers record about it. */
import { z } from 'zod';
import { FleetAnswers } from './answer-rights.ts';
import { CallId, Id, Instant, Sha256 } from './names.ts';
import { ArtifactRef } from './tool.ts';

export const MemberName = Id.describe('The name of a member of the fleet; by default the id of its home.');
const worker = MemberName.describe('The member that executes the run.');
const epoch = z
  .int()
  .positive()
  .describe('Counts the owners of a run: every claim has one more than the claim before.');
const sequence = z.int().nonnegative().describe('Where the message is in the stream.');

export const FleetStream = z
  .strictObject({
    name: z.string().max(100).describe('Name of the stream.'),
    created: Instant.describe('When it was created; a stream that was created again is another one.'),
  })
  .describe('Which stream. Sequences start over in a new one, which would make the fence void.');
export type FleetStream = z.infer<typeof FleetStream>;

const TakenOver = z
  .strictObject({
    worker,
    first: sequence.describe('The first message of the run.'),
    last: sequence.describe('The last message before this claim.'),
    events: z.int().nonnegative().describe('How many events they contain.'),
    sha256: Sha256.describe('The hash of these events, as JSON lines.'),
    copied: z.int().nonnegative().describe('How many of them follow in this ledger, as copies.'),
    in_doubt: z
      .array(CallId)
      .max(1000)
      .describe('Calls that the owner before intended, and of which nobody here saw the end.'),
    heard: Instant.optional().describe('When the servers got the last message of that owner.'),
    quiet: Instant.optional().describe('From then on that owner lets nothing more out, however long it stood still.'),
  })
  .describe('What was taken over from the owner before; copies of these events follow.');

export const FleetJoined = z
  .strictObject({
    member: MemberName,
    runs: FleetStream.describe('The stream of runs.'),
    version: z.string().max(50).describe('The version of the server that answered.'),
  })
  .describe('This home is a member of a fleet from now on, or again.');

export const RunClaimed = z
  .strictObject({
    worker,
    epoch,
    stream: FleetStream,
    sequence: sequence.describe('The claim itself.'),
    from: TakenOver.optional(),
  })
  .describe('This member executes the run from now on: its claim was appended to the subject of the run.');
export type RunClaimed = z.infer<typeof RunClaimed>;

export const RunFenced = z
  .strictObject({
    worker,
    epoch,
    by: MemberName.nullable().describe('The member that owns the run now, if it is known.'),
    reason: z.string().max(20_000).describe('Why, for a person.'),
  })
  .describe('This member no longer owns the run: nothing of it is done here any more.');

export const TaskSent = z
  .strictObject({
    needs: z.array(z.string().max(80)).max(20).describe('The labels that a worker must have.'),
    sequence: sequence.describe('Where the task is in the queue; 0 when it was no longer there.'),
    folder: Sha256.optional().describe('The list of the files that went with it, in the object store of the fleet.'),
  })
  .describe('A task was given to the fleet; any member with these labels may take it.');

export const TaskReturned = z
  .strictObject({
    worker: worker.describe('The member that did it.'),
    status: z.string().max(80).describe('How it ended.'),
    files: z.array(ArtifactRef).max(10_000).describe('RESULT.md and the other files of the result.'),
  })
  .describe('The result of a task came back from the fleet, and is in the outbox.');

const by = MemberName.describe('The member at which it was given.');

export const FleetOrdered = z
  .strictObject({
    order: z
      .enum(['stop', 'resume', 'drain', 'work'])
      .describe('Stop and resume are for everybody; drain, and work after it, for this member.'),
    by,
    revision: z
      .int()
      .nonnegative()
      .describe('Where the order is in the bucket of orders; 0 when it is gone from there.'),
  })
  .describe('An order that this member follows from now on.');

/** An order in the bucket of orders: for everybody, or for one member. */
export const FleetOrder = z.strictObject({
  isHalted: z.boolean().describe('Whether to stop, or to take nothing new; false ends an order of before.'),
  by,
  at: Instant,
});
export type FleetOrder = z.infer<typeof FleetOrder>;

const owner = { worker, process: z.string().max(80).describe('The process of the worker.'), epoch };

/** A message on the subject of a run. */
export const RunMessage = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('claim'),
    ...owner,
    stream: FleetStream,
    version: z.string().max(50),
    refill: z
      .strictObject({
        events: z.int().nonnegative().describe('How many events follow with this claim: all of the run.'),
        from: epoch.describe('The last claim with which its ledger has worked on the run.'),
      })
      .optional()
      .describe('The history of the run begins again with this claim, from the ledger of its owner.'),
  }),
  z.strictObject({
    kind: z.literal('events'),
    ...owner,
    number: z.int().positive().describe('Counts the messages of this claim.'),
    events: z.array(z.looseObject({ seq: z.int().positive(), type: z.string(), run: Id })).min(1),
    desk: Sha256.nullable().describe('The files of the folder of the run when these events were durable.'),
  }),
  z
    .strictObject({ kind: z.literal('returned'), ...owner })
    .describe('Its result was published; nothing is left to do.'),
]);
export type RunMessage = z.infer<typeof RunMessage>;

/** A task in the queue. */
export const TaskMessage = z.strictObject({
  id: Id.describe('The claim id: the run has it, too.'),
  home: MemberName.describe('The member that gets the result.'),
  by: z.string().max(200).describe('How it was submitted there.'),
  name: z.string().max(1000),
  body: Sha256.describe('The task file.'),
  needs: z.array(z.string().max(80)).max(20),
  files: z
    .array(z.strictObject({ path: z.string().max(1000), sha256: Sha256, executable: z.boolean() }))
    .max(10_000)
    .nullable()
    .describe('The other files of a task folder; null when the task is a single file.'),
  links: z.array(z.strictObject({ path: z.string().max(1000), target: z.string().max(4096) })).max(10_000),
  again: z.boolean().optional().describe('The queue had lost it, and its home has no result: one is sent in any case.'),
});
export type TaskMessage = z.infer<typeof TaskMessage>;

/** The end of a task, for the home that submitted it. */
export const ResultMessage = z.strictObject({
  id: Id,
  worker,
  status: z.string().max(80),
  outbox: z.array(z.strictObject({ path: z.string().max(1000), sha256: Sha256 })).max(10_000),
  desk: z.array(z.strictObject({ path: z.string().max(1000), sha256: Sha256, executable: z.boolean() })).max(10_000),
  left: z
    .array(z.string().max(1000))
    .max(10_000)
    .optional()
    .describe('What is on its desk and did not travel, such as links: it was not removed there.'),
});
export type ResultMessage = z.infer<typeof ResultMessage>;

export const TaskProgress = z
  .object({
    run: Id,
    home: MemberName.describe('The member that gets the result.'),
    title: z.string().max(1000),
    status: z.string().max(80).describe('Running, blocked or paused.'),
    step: z.string().max(1000).nullable().describe('What is being done; null between steps.'),
    waits: z.string().max(1000).nullable().describe('What it waits for.'),
  })
  .describe('A task that a member works on.');
export type TaskProgress = z.infer<typeof TaskProgress>;

/** What a member says about itself every few seconds; a later version may say more. */
export const MemberMessage = z.object({
  name: MemberName,
  version: z.string().max(50),
  labels: z.array(z.string().max(80)).max(100),
  slots: z.int().nonnegative(),
  runs: z.array(Id).max(1000),
  fenced: z.int().nonnegative().describe('Runs that it lost to others since it started.'),
  state: z
    .enum(['working', 'draining', 'drained', 'paused', 'stopped'])
    .default('working')
    .describe('Drained: it takes nothing new, and has nothing left.'),
  doing: z.array(TaskProgress).max(1000).default([]).describe('What it works on.'),
  answers: FleetAnswers.optional(),
  process: z.string().max(80).optional().describe('The process that works as this member.'),
  at: Instant,
});
export type MemberMessage = z.infer<typeof MemberMessage>;

/** The fleet as a member sees it; its worker writes it to a file every few seconds, for faces that have no connection. */
export const FleetOverview = z
  .strictObject({
    at: Instant.describe('When the servers were asked.'),
    member: MemberName.describe('This member.'),
    servers: z.array(z.string()).describe('The message servers.'),
    stopped: FleetOrder.nullable().describe('Who stopped the fleet; null when it is not stopped.'),
    members: z.array(
      MemberMessage.extend({ isDrained: z.boolean().describe('Whether it is ordered to take nothing.') }),
    ),
    queue: z
      .array(z.strictObject({ needs: z.array(z.string()), waiting: z.int(), taken: z.int() }))
      .describe('Tasks that wait, and tasks that somebody works on, by the labels that they need.'),
    oldest: Instant.nullable().describe('Since when the first task of the queue is there.'),
    replicas: z
      .array(z.strictObject({ name: z.string(), isCurrent: z.boolean(), lag: z.int() }))
      .describe('Servers that follow the leader of the stream of runs, and how many messages they are behind.'),
    sent: z
      .array(z.strictObject({ run: Id, at: MemberName.nullable(), progress: TaskProgress.nullable() }))
      .describe('Tasks of this home that have not come back, and who works on them.'),
  })
  .describe('The fleet, as this member sees it.');
export type FleetOverview = z.infer<typeof FleetOverview>;
