import { z } from 'zod';
import { StateKey, StateNamespace } from './state-entry.ts';
import { GraphSaved } from './graph.ts';
import { JsonValue } from './json.ts';
import { FactGiven, Forgotten } from './memory.ts';
import { CallId, Id, Instant, Sha256 } from './names.ts';
import { RunLink } from './run.ts';
import { WaitAnswer } from './wait.ts';

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
    z.strictObject({ kind: z.literal('resume').describe('Resume a paused run.'), run: Id }),
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
  ])
  .describe('A request from another process to the process with the pen, as a file in .oka/intake.');
export type Intake = z.infer<typeof Intake>;
