/**
 * Owns: the inventory of everything that can be written to a ledger, each type with the schema of its data.
 * Does not own: how lines are stored (core/ledger/line.ts), what they mean to a run (engine) or to a person (cli).
 *
 * E1 A type is declared here once; its version is 1 + the number of its upgrades (core/schema/upgrade.ts).
 * E2 Data is plain JSON: what is folded live equals what is read back.
 * E3 A type is never removed and never changes its meaning; a changed shape is a new version with an upgrade.
 */
import { z } from 'zod';
import { chatEventData } from './chat.ts';
import { Decision } from './decision.ts';
import { ChannelPaired, ChannelReceived, ChannelSubscribed, DeliveryEnded, DeliveryStarted } from './channel-port.ts';
import { Receipt, Requirement } from './dependency.ts';
import { OkaError } from './errors.ts';
import { fitCheck } from './fits.ts';
import { FrameInvalidated, FramePut } from './frame.ts';
import { StateChange, StateKey, StateNamespace } from './state-entry.ts';
import { FleetJoined, FleetOrdered, MemberName, RunClaimed, RunFenced, TaskReturned, TaskSent } from './fleet.ts';
import { SharedProcedure } from './fleet-memory.ts';
import { TaskAsked } from './fleet-requests.ts';
import { GraphSaved } from './graph.ts';
import { Intake } from './intake.ts';
import { copyJson, JsonValue } from './json.ts';
import { Episode, FactGiven, Forgotten, PackManifest } from './memory.ts';
import { ID_SHAPE } from './id-shape.ts';
import { CallId, Id, Instant, NodeId, Sha256 } from './names.ts';
import { Procedure, ProcedureChoice, ProcedureMove, ResultTraits } from './procedure.ts';
import { DayBudget, DayBudgetLow, DayNeed } from './day-budget.ts';
import { Budgets, Mode, PlannedNode, RunLink, RunMarks, RunNote, RunTurn } from './run.ts';
import { ScheduleSpec } from './schedule.ts';
import { SideEffectClass, Usage } from './effect.ts';
import { ArtifactRef, OutcomeStatus } from './tool.ts';
import { TreeCompacted, TreeRestored, TreeScanned } from './tree.ts';
import { versionOf } from './upgrade.ts';
import { WaitAnswer, WaitFor } from './wait.ts';

const seq = z.int().positive();
const offset = z.int().nonnegative();
const settles = z.enum(['done', 'failed']).optional().describe('The outcome of the node, if this ends it.');
const restarts = z
  .array(NodeId)
  .max(1000)
  .optional()
  .describe('Nodes that an edge back starts over; listed with the first events of the new visit.');
const toolsVersion = Sha256.optional().describe(
  'Which tools were available: the hash of their names, annotations and schemas; the list is stored as an artifact.',
);
const HeadOfLedger = z.strictObject({ seq: offset.describe('Its number.'), hash: Sha256.describe('Its hash.') });
const reason = z.string().max(20_000).describe('Why, for a person.');

export const eventData = {
  'ledger.repaired': z
    .strictObject({
      offset: offset.describe('Where the torn end began.'),
      bytes: z.int().positive().describe('How much was cut.'),
      sha256: Sha256.describe('Hash of what was cut.'),
      kept: z.string().max(1000).describe('File in .oka/quarantine that contains it.'),
    })
    .describe('The end of an unacknowledged batch was cut off after a crash.'),
  'ledger.rolled_back': z
    .strictObject({
      expected: HeadOfLedger.describe('The record that the ledger should contain.'),
      found: HeadOfLedger.describe('Its last record before this event.'),
      missing: z.int().nonnegative().describe('How many events are missing; 0 when other events are in their place.'),
      source: z.string().max(1000).describe('Where the expected record was noted.'),
    })
    .describe('A person decided to go on although the ledger has lost events or was replaced by another one.'),
  'ledger.damage_found': z
    .strictObject({
      ledger: z.enum(['run', 'maintenance']).describe('Which ledger.'),
      seq: seq.describe('The damaged record.'),
      offset: offset.describe('Where it begins.'),
      reason,
      runs: z.array(Id).max(1000).describe('Runs that were paused because of it.'),
    })
    .describe('Verifying older events in the background found damage.'),
  'ledger.disk_full': z
    .strictObject({ refused: z.int().nonnegative().describe('Events that could not be written.') })
    .describe('Paused: the disk is full.'),
  'ledger.disk_freed': z.strictObject({}).describe('There is space again.'),
  'ledger.archived': z
    .strictObject({
      first: seq.describe('First event moved.'),
      last: seq.describe('Last event moved.'),
      segments: z
        .array(
          z.strictObject({
            file: z.string().max(255).describe('Name in .oka/archive.'),
            sha256: Sha256.describe('Hash of the compressed file.'),
          }),
        )
        .max(10_000)
        .describe('Where they are now.'),
    })
    .describe('Finished runs were moved into the archive.'),

  'worker.started': z
    .strictObject({
      version: z.string().max(50).describe('Version of oka.'),
      node: z.string().max(50).describe('Version of Node.'),
      host: z.string().max(255).describe('Machine or container.'),
      pid: z.int().positive().describe('Process.'),
      home: z
        .strictObject({
          id: z.string().max(100).describe('The id of the home, as in .oka/home.json.'),
          key: z.string().max(200).nullable().describe('The public key that signs its history.'),
        })
        .optional()
        .describe('Which home this is.'),
    })
    .describe('A worker took the pen.'),
  'worker.stopped': z.strictObject({ reason }).describe('A worker released the pen.'),

  'intake.received': z
    .strictObject({ id: Id, intake: Intake })
    .describe('A request from another process was accepted.'),
  'intake.rejected': z
    .strictObject({ name: z.string().max(255).describe('The file.'), reason })
    .describe('A request could not be read or is not allowed.'),

  'run.started': z
    .strictObject({
      title: z.string().max(500).describe('What it is about.'),
      mode: Mode.default('bounded'),
      parent: Id.nullable().default(null).describe('The run that started it or that it continues.'),
      depth: z.int().nonnegative().default(0).describe('How many runs it is nested in.'),
      state: z.string().max(80).default('EXECUTE').describe('The first state.'),
      graph: z.strictObject({ id: Id, sha256: Sha256 }).describe('The graph, by content; stored as an artifact.'),
      nodes: z.array(PlannedNode).max(1000).default([]).describe('The steps a person should see.'),
      budgets: Budgets.default({}),
      input: JsonValue.default(null).describe('What it was started with.'),
      input_by: z.literal('tool').optional().describe('A run around it filled the input with what a tool gave.'),
      tools: toolsVersion,
      date: z.iso.date().optional().describe('The day it began, in local time, where its graph asks for {{date}}.'),
      link: RunLink.optional(),
      loosened_from: Mode.optional().describe(
        'The mode of the graph, where a person forced a looser one for this run.',
      ),
      acceptance: z
        .literal('checked')
        .optional()
        .describe('Its steps have acceptance, and it is checked; earlier versions did not.'),
      turn: RunTurn.optional(),
    })
    .describe('A run began.'),
  'run.planned': z
    .strictObject({ nodes: z.array(PlannedNode).max(1000).describe('The steps from now on.'), reason })
    .describe('The steps of a run were planned again. Nothing writes this today; it stays readable.'),
  'run.moved': z
    .strictObject({
      from: z.string().max(80).describe('The state it left.'),
      to: z.string().max(80).describe('The state it is in now.'),
      reason,
    })
    .describe('A run went from one state to another.'),
  'run.paused': z.strictObject({ reason }).describe('A run was paused.'),
  'run.resumed': z.strictObject({ reason, tools: toolsVersion }).describe('A paused or stopped run continues.'),
  'run.time_skipped': z
    .strictObject({
      ms: z
        .int()
        .describe('What the clock shows beyond the time that passed for the run; negative when it was set back.'),
      why: z
        .enum(['clock', 'down', 'desk'])
        .describe(
          'The clock was set or the machine slept; nothing drove the run; or it waited for its turn on the desk.',
        ),
    })
    .describe(
      'Time on the clock in which a run was not at work. It counts neither for its budget nor for its duration.',
    ),
  'run.ended': z
    .strictObject({
      status: z.enum(['done', 'failed', 'cancelled']).describe('How it ended.'),
      reason,
      output: JsonValue.default(null).describe('The result.'),
      artifacts: z.array(ArtifactRef).max(1000).default([]).describe('What it produced.'),
    })
    .describe('A run is over; this is final.'),

  'node.settled': z
    .strictObject({
      node: NodeId,
      status: z.enum(['done', 'failed', 'skipped']).describe('The outcome of the node.'),
      reason,
      output: JsonValue.default(null).describe('The output that the following nodes receive.'),
      restarts,
    })
    .describe('A node ended by something other than the outcome of its own call.'),
  'error.handled': z
    .strictObject({
      node: NodeId,
      by: z.enum(['rule', 'model']).describe('Who decided it.'),
      rule: z
        .enum(['rate', 'timeout', 'tool'])
        .optional()
        .describe('The rule that applied, if it lets the node go on.'),
      action: z
        .enum(['retry', 'wait', 'fallback', 'skip', 'fail'])
        .describe('What is done: try again, wait and try again, use the fallback, leave the node out, or let it fail.'),
      reason,
      input: JsonValue.optional().describe('The changed input of the next attempt.'),
      timeout_factor: z.number().min(1).max(10).optional().describe('How much longer the next attempt may take.'),
      for: WaitFor.optional().describe('What is waited for before the next attempt.'),
      settles: z.enum(['done', 'failed', 'skipped']).optional().describe('What it makes of the node.'),
    })
    .describe('A node failed for good, and the error handler decided what to do about it.'),
  'decision.made': z
    .strictObject({
      node: NodeId,
      turn: z.int().nonnegative().describe('Which turn of the node.'),
      decision: Decision,
      settles,
      restarts,
    })
    .describe('A planner answered: what next?'),

  'decision.rejected': z
    .strictObject({
      node: NodeId,
      turn: z.int().nonnegative().describe('Which turn of the node.'),
      reason,
      settles,
    })
    .describe('A planner answered something that is not allowed here; it is asked again, or the node fails.'),

  'call.started': z
    .strictObject({
      call: CallId,
      node: NodeId.nullable(),
      attempt: z.int().positive().default(1).describe('Which attempt of the node, counted from 1.'),
      tool: z.string().max(120).describe('Name of the tool.'),
      class: SideEffectClass,
      judged: SideEffectClass.optional().describe(
        'What it was judged to do, where its class, which is about its rights, says something else.',
      ),
      once: z.literal(true).optional().describe('It changes something and is not made again by itself.'),
      repeats: z.literal(true).optional().describe('It repeats the attempt before it.'),
      input: JsonValue.describe('What the tool is called with.'),
      key: z.string().max(500).optional().describe('Idempotency key.'),
      together: z
        .literal(true)
        .optional()
        .describe('It only reads, and is made together with other reads of its turn.'),
      restarts,
    })
    .describe('A tool is about to act: the intent.'),
  'call.ended': z
    .strictObject({
      call: CallId,
      node: NodeId.nullable(),
      status: OutcomeStatus,
      output: JsonValue.default(null).describe('The output of the tool.'),
      error: z.string().max(20_000).optional().describe('What went wrong, for a person.'),
      artifacts: z.array(ArtifactRef).max(100).optional().describe('Large outputs of the call.'),
      usage: Usage.optional(),
      retried: z.boolean().optional().describe('Another attempt follows at once.'),
      begun: z.literal(false).optional().describe('False when it was stopped before it acted.'),
      unseen: z.literal(true).optional().describe('Nobody stopped it, and nobody saw whether it has acted.'),
      elsewhere: z.literal(true).optional().describe('On another machine: what it wrote there is not here.'),
      stopped: z.literal(true).optional().describe('It was ended in order, since the run was stopped.'),
      for: WaitFor.optional().describe('What is awaited, when the call is waiting.'),
      settles: z
        .enum(['done', 'failed', 'skipped'])
        .optional()
        .describe('The outcome of the node, if this call ends it.'),
      state: StateChange.optional(),
    })
    .describe('A tool call ended: the outcome.'),

  'state.written': z
    .strictObject({
      namespace: StateNamespace,
      key: StateKey,
      value: JsonValue.optional().describe('The value from now on; a large one names an artifact.'),
      deleted: z.literal(true).optional().describe('The key is removed.'),
      artifacts: z.array(ArtifactRef).max(1).optional().describe('Where a large value is.'),
      by: z.string().max(200).describe('Who changed it.'),
    })
    .describe('A person changed what a graph remembers. What its runs write is part of the outcome of their calls.'),

  'graph.saved': GraphSaved,

  'call.misclassified': z
    .strictObject({
      call: CallId,
      node: NodeId.nullable(),
      class: SideEffectClass.describe('The class it ran under.'),
      reason,
    })
    .describe('A call tried more than its class allows, and the kernel denied it.'),

  'wait.opened': z
    .strictObject({ wait: CallId, node: NodeId.nullable(), for: WaitFor, restarts })
    .describe('Something is awaited.'),
  'wait.closed': z
    .strictObject({
      wait: CallId,
      node: NodeId.nullable(),
      answer: WaitAnswer,
      becomes: z
        .enum(['pending', 'running', 'done', 'failed'])
        .optional()
        .describe('The outcome of the node that waited.'),
    })
    .describe('A wait ended.'),
  'answer.refused': z
    .strictObject({ wait: CallId, reason })
    .describe('An answer was not accepted: it came too late, was forged, or answers something else.'),

  'policy.loaded': z
    .strictObject({
      sha256: Sha256.describe('Hash of .oka/rules/POLICY.md.'),
      rules: z.int().nonnegative().describe('How many rules it has.'),
      day_budget: DayBudget.optional(),
    })
    .describe('The policy that is active from now on.'),
  'budget.reserved': z
    .strictObject({ call: CallId, ...DayNeed.shape })
    .describe('What a call may cost at most was taken off the budget of the day, before the call was made.'),
  'budget.low': DayBudgetLow,
  'sandbox.chosen': z
    .strictObject({
      kind: z.enum(['jail', 'none']).describe('Whether commands run in a sandbox that the kernel enforces.'),
      landlock: z.int().nonnegative().describe('Version of Landlock that the kernel offers; 0 = none.'),
      reason,
    })
    .describe('How commands are sandboxed from now on.'),
  'egress.decided': z
    .strictObject({
      call: CallId.optional().describe('The call that asked.'),
      host: z.string().max(253).describe('Where a command wanted to go.'),
      port: z.int().min(0).max(65_535).describe('And on which port.'),
      verdict: z.enum(['allowed', 'refused']).describe('Whether it was allowed.'),
      reason,
    })
    .describe('A command asked for a connection to the outside.'),

  'secret.changed': z
    .strictObject({
      name: Id.describe('Name of the secret.'),
      version: z.int().positive().describe('Its version from now on, or the last one it had.'),
      change: z.enum(['set', 'rotated', 'removed']).describe('What was done.'),
    })
    .describe('A secret was put into the vault, renewed or removed.'),
  'secret.used': z
    .strictObject({
      call: CallId,
      node: NodeId.nullable(),
      name: Id.describe('Name of the secret.'),
      version: z.int().positive().describe('Which version.'),
      tool: z.string().max(120).describe('The tool it was given to.'),
      host: z.string().max(253).nullable().describe('The host it was sent to, if any.'),
      fingerprint: z.string().max(64).describe('Distinguishes two values without revealing either.'),
    })
    .describe('A secret was given to one call.'),

  'task.received': z
    .strictObject({
      name: z.string().max(1000).describe('Name of the file or folder in the inbox.'),
      body: ArtifactRef.describe('The task as it was given.'),
      files: z.array(ArtifactRef).max(10_000).default([]).describe('The other files in its folder.'),
      executable: z.array(z.string().max(1000)).max(10_000).optional().describe('Those of them that are programs.'),
      links: z
        .array(
          z.strictObject({
            path: z.string().max(1000).describe('Where it is in the folder.'),
            target: z.string().max(4096).describe('Where it leads, inside the folder.'),
          }),
        )
        .max(10_000)
        .optional()
        .describe('Symbolic links in its folder.'),
      by: z.string().max(200).default('inbox').describe('How it was submitted.'),
      notes: z.array(z.string().max(1000)).max(50).optional().describe('What was left out of account, and hints.'),
    })
    .describe('A task was accepted; work on it starts once this is durable.'),
  'task.rejected': z
    .strictObject({
      name: z.string().max(1000).describe('Name of the file or folder in the inbox.'),
      kept: z.string().max(1000).nullable().describe('Its path below workspace/inbox/rejected.'),
      reason,
    })
    .describe('An entry of the inbox is not a task.'),
  'run.judged': z
    .strictObject({
      verdict: z.enum(['done', 'rework', 'blocked', 'impossible']).describe('The overall verdict of the critic.'),
      criteria: z
        .array(
          z.strictObject({
            text: z.string().max(2000).describe('The criterion.'),
            holds: z.boolean().describe('Whether it is met.'),
            evidence: z.string().max(5000).describe('What was seen.'),
            by: z.enum(['check', 'model', 'person']).describe('Who checked it.'),
          }),
        )
        .max(200)
        .describe('Each criterion and what was found.'),
      result: ResultTraits.optional(),
      reason,
    })
    .describe('The critic compared what was done with what was asked for.'),
  'desk.awaited': z
    .strictObject({
      call: CallId,
      node: NodeId.nullable(),
      behind: Id.nullable().describe(
        'The run whose turn in the same place is before this one; null when it is no run.',
      ),
    })
    .describe('A call that writes to the desk waits for its turn, because another one works in the same place.'),
  'desk.kept': z
    .strictObject({
      call: CallId,
      node: NodeId.nullable(),
      when: z.enum(['before', 'after']).describe('Whether the call is about to write or has written.'),
      tree: z.string().max(64).describe('Name of the state of the desk in the shadow store.'),
      place: z
        .array(z.string().max(1000))
        .max(100)
        .optional()
        .describe(
          'Folders of the desk that the call may change; the state is of these alone. Absent: all of the desk.',
        ),
      reads: z.array(z.string().max(1000)).max(20).optional().describe('Folders that nobody changes meanwhile.'),
      skipped: z.array(z.string().max(1000)).max(1000).default([]).describe('Files that were too large to be stored.'),
      folders: z
        .array(
          z.strictObject({
            path: z.string().max(1000).describe('Real path of the folder.'),
            tree: z.string().max(64).describe('Name of its state in its own shadow store.'),
          }),
        )
        .max(100)
        .optional()
        .describe('Folders outside the desk that the call may change, with their states.'),
      uncovered: z
        .array(z.string().max(1000))
        .max(100)
        .optional()
        .describe('Folders outside the desk that the call may change, and that undo does not restore.'),
      ground: z
        .string()
        .max(200)
        .optional()
        .describe('The folder and the boot of the machine for which it can be known whether a command started.'),
      author: z
        .literal('model')
        .optional()
        .describe('Present when files that make other programs run must not stay without an approval.'),
      aside: z
        .strictObject({
          tree: z.string().max(64).describe('Name of the state with these files in it.'),
          paths: z.array(z.string().max(4096)).max(1000).describe('Their paths, one character for each byte.'),
        })
        .optional()
        .describe('Files that make other programs run, which the call wrote and oka has set aside.'),
      instructions: z
        .array(
          z.strictObject({
            path: z.string().max(4096).describe('Its path below the desk.'),
            oid: Sha256.describe('Name of its content in the shadow store.'),
          }),
        )
        .max(1000)
        .optional()
        .describe('Files AGENTS.md that the call wrote: they are material, not instructions of the operator.'),
    })
    .describe('A snapshot of the desk was stored, before or after a call that may write.'),
  'run.corrected': z
    .strictObject({
      by: Id.describe('The run that corrects it.'),
      text: z.string().max(20_000).describe('What was wrong, as the person wrote it.'),
    })
    .describe('A person corrected the result of a finished run.'),
  'note.received': RunNote.describe('A person sent a note to whoever works on the run; its next prompt has the words.'),
  'run.undone': z
    .strictObject({
      restored: z.array(z.string().max(1000)).max(10_000).describe('Files that are as they were before.'),
      kept: z.array(z.string().max(1000)).max(10_000).describe('Files that people changed since; left as they are.'),
    })
    .describe('The changes of a run on the desk were undone.'),
  'runs.marked': RunMarks,
  'dependency.installed': Receipt.describe('A package was installed into .oka/tools.'),
  'dependency.removed': z
    .strictObject({
      by: Receipt.shape.by,
      name: Receipt.shape.name,
      version: Receipt.shape.version,
      reason,
    })
    .describe('A package was removed from .oka/tools.'),
  'requirement.opened': z
    .strictObject({ requirement: Requirement, node: NodeId.nullable().describe('The step that needs it.') })
    .describe('Something is needed that only a person can install; the run is the one that needs it.'),
  'requirement.resolved': z
    .strictObject({
      name: Requirement.shape.name,
      by: z.string().max(200).describe('Who said so.'),
      seen: z.string().max(2000).describe('What was found when it was checked.'),
    })
    .describe('What a person had to install is there.'),
  'requirement.reopened': z
    .strictObject({ name: Requirement.shape.name, by: z.string().max(200).describe('Who said it was there.'), reason })
    .describe('A person said that it is there, and it is not.'),
  'fact.kept': FactGiven.describe('A fact is believed from now on.'),
  'fact.forgotten': z
    .strictObject({
      facts: z.array(Id).min(1).max(1000).describe('Which.'),
      why: Forgotten,
    })
    .describe('Facts are no longer believed.'),
  'episode.imported': z
    .strictObject({
      episode: Episode,
      from: z
        .strictObject({
          name: z.string().max(1000).describe('The file.'),
          line: z.int().positive().describe('The line in it.'),
        })
        .describe('Where it comes from.'),
    })
    .describe('An episode from elsewhere was imported.'),
  'context.packed': PackManifest.describe('A context pack was assembled for a prompt.'),
  'slot.came': z
    .strictObject({
      job: z
        .string()
        .max(200)
        .regex(/^[A-Za-z0-9][\w.:/-]*$/)
        .describe(
          'What was due: learn and tidy are jobs of maintenance; others are schedule/<id>, and backfill/<id> and trigger/<id> for what a person asked for.',
        ),
      slot: Instant.describe('When it was due.'),
      how: z
        .enum(['ran', 'skipped', 'missed', 'caught_up', 'dropped'])
        .describe('Whether it ran. Caught up: missed, and run later. Dropped: missed, and too old or too many to run.'),
      reason,
      run: Id.optional().describe('The run that it makes.'),
    })
    .describe('A time came at which a job was due; each is recorded once.'),
  'schedule.changed': z
    .strictObject({
      schedule: Id.nullable().describe('Which schedule; null for the clock of all of them.'),
      change: z
        .enum(['added', 'changed', 'on', 'off', 'removed', 'refused'])
        .describe('What happened to it. Refused: its file cannot be read, so nothing runs until it is corrected.'),
      reason,
      name: z.string().max(1000).optional().describe('Its file or folder in workspace/schedules.'),
      kind: z.enum(['task', 'graph']).optional().describe('What it runs.'),
      title: z.string().max(500).optional().describe('What it is called.'),
      sha256: Sha256.optional().describe('Hash of its file.'),
      spec: ScheduleSpec.optional(),
    })
    .describe('A schedule was added, edited, switched on or off, or removed.'),
  'procedure.drafted': z
    .strictObject({ procedure: Procedure })
    .describe('A procedure was learned from runs, or updated.'),
  'procedure.shared': z
    .strictObject({
      member: MemberName.describe('The member that shares it.'),
      id: Id.describe('Its name there.'),
      procedure: SharedProcedure.nullable().describe('What it shares; null when it no longer does.'),
    })
    .describe('Another member of the fleet shares a procedure; maintenance makes a candidate of it.'),
  'procedure.moved': ProcedureMove,
  'procedure.chosen': ProcedureChoice,
  'page.edited': z
    .strictObject({
      page: z.string().max(1000).describe('The page, relative to .oka.'),
      lines: z.array(z.string().max(20_000)).max(10_000).describe('The lines that people wrote, from now on.'),
      removed: z.array(z.string().max(400)).max(10_000).default([]).describe('The lines that people removed, by mark.'),
      changed: z
        .array(
          z.strictObject({
            mark: z.string().max(400).describe('What the line refers to.'),
            text: z.string().max(20_000).describe('The text after the edit.'),
          }),
        )
        .max(10_000)
        .default([])
        .describe('Lines of ours that people changed.'),
    })
    .describe('A person edited a page that is made from the ledger.'),
  'change.undone': z
    .strictObject({ change: seq.describe('The event of the maintenance ledger that no longer counts.'), reason })
    .describe('Something that maintenance had learned was undone.'),
  'fact.reworded': z
    .strictObject({
      fact: Id.describe('Which fact.'),
      text: z.string().min(1).max(4000).describe('The new wording.'),
      model: z.string().max(200).describe('Who worded it.'),
    })
    .describe('A fact was reworded; its evidence is unchanged.'),
  ...chatEventData,
  'storage.tidied': z
    .strictObject({
      artifacts: z.int().nonnegative().describe('Artifacts removed that no event names.'),
      outbox: z.array(z.string().max(255)).max(10_000).describe('Folders removed from the outbox.'),
      tools: z
        .array(z.string().max(300))
        .max(10_000)
        .default([])
        .describe('Versions of tools removed that nothing uses.'),
      bytes: z.int().nonnegative().describe('Space that is free again.'),
    })
    .describe('Old data was removed, according to the settings.'),
  'delivery.started': DeliveryStarted,
  'delivery.ended': DeliveryEnded,
  'channel.received': ChannelReceived,
  'channel.subscribed': ChannelSubscribed,
  'channel.paired': ChannelPaired,
  'tree.scanned': TreeScanned,
  'tree.restored': TreeRestored,
  'tree.compacted': TreeCompacted,
  'frame.put': FramePut,
  'frame.invalidated': FrameInvalidated,
  'fleet.joined': FleetJoined,
  'fleet.ordered': FleetOrdered,
  'run.claimed': RunClaimed,
  'run.fenced': RunFenced,
  'task.sent': TaskSent,
  'task.asked': TaskAsked,
  'task.returned': TaskReturned,
} as const satisfies Record<string, z.ZodType>;

export type EventType = keyof typeof eventData;
export const eventTypes = Object.keys(eventData) as EventType[];

export const Pen = z
  .enum(['run', 'maintenance'])
  .describe('Who wrote it: the worker or maintenance. One pen per ledger file.');
export type Pen = z.infer<typeof Pen>;

/** What a caller hands in. */
export type NewEvent = {
  [T in EventType]: { type: T; run?: string | null; cause?: number | null; data: z.input<(typeof eventData)[T]> };
}[EventType];

/** What folds see: validated, redacted, numbered. */
export type Event = {
  [T in EventType]: {
    seq: number;
    type: T;
    run: string | null;
    at: string;
    pen: Pen;
    cause: number | null;
    v: number;
    data: z.output<(typeof eventData)[T]>;
  };
}[EventType];

/** A record as it is in the file. */
export type Line = Event & { d: number; prev: string; hash: string };

/** The shape of a line, for editors and other programs; `data` depends on `type` and `v`. */
export const LineShape = z
  .strictObject({
    seq: seq.describe('One more than the line before.'),
    type: z.enum(eventTypes as [EventType, ...EventType[]]).describe('What happened.'),
    run: Id.nullable().describe('The run it belongs to.'),
    at: z.iso.datetime().describe('When, in UTC.'),
    pen: Pen,
    cause: seq
      .nullable()
      .describe(
        'The event that led to it; in the maintenance ledger: the last event of the run ledger read before it.',
      ),
    v: z.int().positive().describe('Version of the shape of data.'),
    d: offset.describe('How many bytes of the ledger were known durable when this line was written.'),
    data: JsonValue.describe('The data, by type.'),
    prev: Sha256.describe('Hash of the line before; zeros for the first.'),
    hash: Sha256.describe('SHA-256 of the bytes of this line before `,"hash"`.'),
  })
  .describe('One line of a ledger.');

/** Returns the data as it will be stored, or throws saying which field is wrong. */
export function checkEvent(event: NewEvent): Pick<Event, 'type' | 'run' | 'cause' | 'v' | 'data'> {
  if (!Object.hasOwn(eventData, event.type))
    throw new OkaError('invalid-event', `there is no event type "${event.type as string}"`);
  const data = looks[event.type](event.data) ? event.data : parseData(event);
  const run = event.run ?? null;
  const cause = event.cause ?? null;
  if (run !== null && (typeof run !== 'string' || !ID_SHAPE.test(run)))
    throw new OkaError('invalid-event', `${event.type}: run ${JSON.stringify(run)} is not a valid id`);
  if (cause !== null && !(Number.isSafeInteger(cause) && cause > 0))
    throw new OkaError('invalid-event', `${event.type}: cause ${cause} is not a seq`);
  return { type: event.type, run, cause, v: versionOf(event.type), data: copyJson(data) as Event['data'] };
}

const looks = Object.fromEntries(eventTypes.map((type) => [type, fitCheck(eventData[type])])) as Record<
  EventType,
  (value: unknown) => boolean
>;

function parseData({ type, data }: NewEvent): unknown {
  const result = (eventData[type] as z.ZodType).safeParse(data);
  if (result.success) return result.data;
  throw new OkaError('invalid-event', `${type}: ${z.prettifyError(result.error)}`, { cause: result.error });
}
