import { z } from 'zod';
import { chatIntakes } from './chat-intake.ts';
import { StateKey, StateNamespace } from './state-entry.ts';
import { GraphSaved } from './graph.ts';
import { JsonValue } from './json.ts';
import { FactGiven, Forgotten } from './memory.ts';
import { CallId, Id, Instant, Sha256 } from './names.ts';
import { PushSubscribed } from './channel-port.ts';
import { RunLink, RunMarks, RunNote, Mode } from './run.ts';
import { TreePath, WorkspaceName } from './tree.ts';
import { WaitAnswer } from './wait.ts';

export const RulesFile = z
  .enum(['POLICY.md', 'mcp.json', 'channels.json'])
  .describe('A file of .oka/rules that a person may change on the page Settings.');
export type RulesFile = z.infer<typeof RulesFile>;

export const Intake = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('answer').describe('Answer a wait.'),
      wait: CallId.describe('The wait that is answered.'),
      answer: WaitAnswer,
    }),
    z.strictObject({ kind: z.literal('cancel').describe('Cancel a run.'), run: Id }),
    z.strictObject({
      kind: z.literal('pause').describe('Pause a run until it is resumed.'),
      run: Id,
      now: z.literal(true).optional().describe('End the command that is running; otherwise it may finish.'),
    }),
    z.strictObject({
      kind: z.literal('note').describe('Send a note to whoever works on a run, which goes on meanwhile.'),
      run: Id,
      ...RunNote.shape,
    }),
    z.strictObject({ kind: z.literal('resume').describe('Resume a paused run.'), run: Id }),
    z.strictObject({
      kind: z.literal('fleet').describe('Give an order to the members of the fleet.'),
      order: z.enum(['stop', 'resume', 'drain', 'work']).describe('Stop and resume are for everybody.'),
      member: Id.optional().describe('Who is to take nothing new, or tasks again.'),
    }),
    z.strictObject({
      kind: z.literal('rerun').describe('Start a run that is made from an earlier one.'),
      id: Id.describe('Name of the new run.'),
      link: RunLink,
      graph: Sha256.optional().describe(
        'The graph that is to run, stored as an artifact; that of the earlier run when left out.',
      ),
    }),
    z.strictObject({
      kind: z.literal('undo').describe('Undo what a run changed on the desk.'),
      run: Id,
      dry_run: z.literal(true).optional().describe('Only report what would be undone.'),
    }),
    z.strictObject({
      kind: z.literal('mark_runs').describe('Archive or pin runs in lists, or undo that; nothing is moved or deleted.'),
      ...RunMarks.shape,
    }),
    z.strictObject({ kind: z.literal('remember').describe('Remember a fact.'), fact: FactGiven }),
    z.strictObject({
      kind: z.literal('forget').describe('Forget facts.'),
      facts: z.array(Id).min(1).max(1000).describe('Which.'),
      why: Forgotten,
    }),
    z.strictObject({
      kind: z.literal('import').describe('Import episodes from elsewhere.'),
      body: Sha256.describe('Lines of JSON, one episode each; stored as an artifact.'),
      name: z.string().max(1000).describe('Name of the file they come from.'),
      me: z.array(z.string().min(1).max(200)).max(20).optional().describe('Names of the operator in it.'),
    }),
    z.strictObject({
      kind: z.literal('archive').describe('Move old finished runs out of the live ledger.'),
      before: Instant.describe('Finished runs older than this go into the archive.'),
    }),
    z.strictObject({
      kind: z.literal('resolve').describe('Report that something a person had to install is there now.'),
      name: z.string().min(1).max(200).describe('Its name in INSTALL_REQUIREMENTS.md.'),
      by: z.string().max(200).optional().describe('Who says so.'),
    }),
    z.strictObject({
      kind: z.literal('install').describe('Install a tool into .oka/tools.'),
      what: z.string().min(1).max(300).describe('Its name, such as jq, node:prettier@3 or python:PyYAML.'),
    }),
    z.strictObject({
      kind: z.literal('remove').describe('Remove a tool from .oka/tools.'),
      what: z.string().min(1).max(300).describe('Its name, such as node:prettier.'),
      reason: z.string().max(500).optional().describe('Why.'),
    }),
    z.strictObject({
      kind: z.literal('tick').describe('Mark an entry of TODOS.md as done.'),
      todo: z.string().min(1).max(400).describe('The entry, by its mark.'),
      text: z.string().max(20_000).default('').describe('The line as it was ticked.'),
    }),
    z.strictObject({
      kind: z.literal('procedure').describe('Override the numbers for a procedure.'),
      procedure: Id,
      to: z.enum(['promoted', 'demoted', 'retired']).describe('What it is to be.'),
      reason: z.string().max(500).default('').describe('Why.'),
    }),
    z.strictObject({
      kind: z.literal('take_back').describe('Undo something that maintenance has learned.'),
      change: z.int().positive().describe('The event in the maintenance ledger.'),
      reason: z.string().max(500).default('').describe('Why.'),
    }),
    z.strictObject({
      kind: z.literal('state').describe('Change what a graph remembers.'),
      namespace: StateNamespace,
      key: StateKey,
      value: JsonValue.optional().describe('The value from now on; left out, the key is removed.'),
      expect: JsonValue.optional().describe('The value that must be there before; null = none.'),
      by: z.string().max(200).optional().describe('Who changes it.'),
    }),
    z.strictObject({
      kind: z.literal('save_graph').describe('Record a version of a graph.'),
      ...GraphSaved.shape,
    }),
    z.strictObject({
      kind: z.literal('write_graph').describe('Save a graph that a person has edited, in workspace/graphs.'),
      graph: Id.describe('Its name, which is also the id in it.'),
      text: z.string().min(2).max(400_000).describe('The graph as it is to be written: JSON.'),
      replaces: Sha256.nullable().describe('The hash of the file that was edited; null = there is none yet.'),
    }),
    z.strictObject({
      kind: z.literal('run_graph').describe('Run a graph of workspace/graphs, or the one that is given.'),
      id: Id.describe('Name of the run.'),
      graph: Id.describe('Name of the graph.'),
      input: JsonValue.default({}).describe('What it is run with.'),
      text: z.string().min(2).max(400_000).optional().describe('The graph itself: JSON.'),
      until: Id.optional().describe('Only what leads to this node.'),
      mode: Mode.optional().describe('Another mode than that of the graph.'),
      force: z.boolean().optional().describe('Also a looser one.'),
    }),
    z.strictObject({
      kind: z.literal('run_task').describe('Do a task at once, for somebody who waits for it.'),
      from: Id.describe('The folder in .oka/state that it was put into, as into an inbox.'),
    }),
    z.strictObject({
      kind: z.literal('tidy').describe('Remove old data, according to the settings.'),
      before: z
        .strictObject({
          artifacts: Instant.nullable().describe('Artifacts that no event names and that are older than this.'),
          outbox: Instant.nullable().describe('Results older than this.'),
        })
        .describe('What counts as old; null = nothing of it.'),
      outbox_mb: z.int().positive().nullable().describe('The oldest results go when the outbox is larger.'),
    }),
    z.strictObject({
      kind: z.literal('schedule').describe('Do something with schedules.'),
      act: z
        .enum(['on', 'off', 'delete', 'trigger', 'tick', 'start', 'stop', 'backfill'])
        .describe('What; tick, start and stop are about the clock of all of them.'),
      schedule: Id.optional().describe('Which one.'),
      from: Instant.optional().describe('Backfill the times from this moment on.'),
      to: Instant.optional().describe('Backfill the times up to this moment.'),
    }),
    z.strictObject({
      kind: z.literal('test_channel').describe('Send a test message through a channel.'),
      channel: z.string().min(1).max(40).describe('Its name in channels.json.'),
    }),
    z.strictObject({
      kind: z.literal('unpair').describe('Listen to a person in a messenger no longer.'),
      channel: z.string().min(1).max(40).describe('Its name in channels.json.'),
      person: z.string().max(320).optional().describe('Who; left out where one person is paired.'),
    }),
    z.strictObject({
      kind: z.literal('test_account').describe('Log in to an account of the person, and see what is there.'),
      account: z.string().min(1).max(40).describe('Its name in accounts.json.'),
    }),
    z.strictObject({
      kind: z.literal('record_scan').describe('Record what a scan of a workspace found to be different.'),
      workspace: WorkspaceName,
      changes: Sha256.describe('The changes (TreeChanges), stored as an artifact.'),
    }),
    z.strictObject({
      kind: z.literal('put_frames').describe('Add frames to nodes of a context tree.'),
      workspace: WorkspaceName,
      frames: Sha256.describe('A list of frames (FrameDraft), stored as an artifact.'),
    }),
    z.strictObject({
      kind: z.literal('restore_node').describe('Give the frames of a node that has left the tree to another path.'),
      workspace: WorkspaceName,
      from: TreePath,
      to: TreePath,
    }),
    z.strictObject({
      kind: z.literal('compact_tree').describe('Remove old history from the index of a context tree.'),
      workspace: WorkspaceName,
      before: Instant.describe('What left the tree or was replaced before this moment.'),
    }),
    z.strictObject({
      kind: z.literal('run_context').describe('Make frames of a context tree, or answer a question from them.'),
      id: Id.describe('Name of the run.'),
      tool: z
        .enum(['context.synthesize', 'context.regenerate', 'context.invalidate', 'context.ask'])
        .describe('What is to be done.'),
      input: JsonValue.describe('The input of the tool.'),
      max_tokens: z.int().nonnegative().optional().describe('What models may cost; as configured when left out.'),
    }),
    z.strictObject({
      kind: z
        .literal('push')
        .describe('Send notifications to a browser that has subscribed, or take an answer from one.'),
      channel: z.string().min(1).max(40).describe('The channel of channels.json.'),
      subscription: PushSubscribed.optional().describe('The subscription. It is not recorded.'),
      token: z.string().min(1).max(200).optional().describe('The token of a button that was pressed. It counts once.'),
    }),
    z.strictObject({
      kind: z.literal('vault').describe('Report the public key of the vault; a vault is made where there is none.'),
    }),
    z.strictObject({
      kind: z.literal('model').describe('Set the language model that serves every role.'),
      act: z
        .enum(['use', 'keep', 'later'])
        .describe('use: if it answers one short question; keep: without asking it; later: do not offer this any more.'),
      request: Id.optional().describe('A name for this request; .oka/state/model-setup.json repeats it.'),
      model: z.string().min(1).max(300).optional().describe('provider:model.'),
      url: z.string().max(2000).optional().describe('The address of its server, if it is not the usual one.'),
      sealed_key: z
        .string()
        .max(200_000)
        .optional()
        .describe('Its key, encrypted to the public key of the vault, in base64. It is not recorded.'),
    }),
    z.strictObject({
      kind: z
        .literal('write_rules')
        .describe('Save rules that a person has changed in the dashboard, and confirmed by logging in for it.'),
      file: RulesFile,
      text: z.string().max(1_000_000).describe('The whole file.'),
      replaces: Sha256.nullable().describe('The hash of the file that the person has seen; null for a new file.'),
      by: z.string().max(200).describe('Who confirmed it, as the session of the dashboard is called.'),
    }),
    ...chatIntakes,
  ])
  .describe('A request from another process to the process with the pen, as a file in .oka/intake.');
export type Intake = z.infer<typeof Intake>;

/** The request as it is recorded: what is sealed for the process with the pen stays out of the ledger. */
export function withoutSealed(intake: Intake): Intake {
  if (intake.kind === 'push') return { kind: 'push', channel: intake.channel };
  if (intake.kind !== 'model' || intake.sealed_key === undefined) return intake;
  const { sealed_key: _sealed, ...recorded } = intake;
  return recorded;
}
