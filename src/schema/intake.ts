import { z } from 'zod';
import { FactGiven, Forgotten } from './memory.ts';
import { CallId, Id, Instant, Sha256 } from './names.ts';
import { WaitAnswer } from './wait.ts';

export const Intake = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('answer').describe('Answer something that is awaited.'),
      wait: CallId.describe('The wait that is answered.'),
      answer: WaitAnswer,
    }),
    z.strictObject({ kind: z.literal('cancel').describe('End a run before its time.'), run: Id }),
    z.strictObject({ kind: z.literal('pause').describe('Hold a run until it is resumed.'), run: Id }),
    z.strictObject({ kind: z.literal('resume').describe('Let a paused run go on.'), run: Id }),
    z.strictObject({ kind: z.literal('undo').describe('Take back what a run changed on the desk.'), run: Id }),
    z.strictObject({ kind: z.literal('remember').describe('Keep a fact.'), fact: FactGiven }),
    z.strictObject({
      kind: z.literal('forget').describe('Give facts up.'),
      facts: z.array(Id).min(1).max(1000).describe('Which.'),
      why: Forgotten,
    }),
    z.strictObject({
      kind: z.literal('import').describe('Take in what was said elsewhere.'),
      body: Sha256.describe('Lines of JSON, one episode each; kept as an artifact.'),
      name: z.string().max(1000).describe('Name of the file they come from.'),
    }),
    z.strictObject({
      kind: z.literal('archive').describe('Move old finished runs out of the live ledger.'),
      before: Instant.describe('Finished runs older than this go into the archive.'),
    }),
    z.strictObject({
      kind: z.literal('resolve').describe('Say that something is there now that a person had to bring.'),
      name: z.string().min(1).max(200).describe('Its name in INSTALL_REQUIREMENTS.md.'),
      by: z.string().max(200).optional().describe('Who says so.'),
    }),
    z.strictObject({
      kind: z.literal('install').describe('Install a tool into .oka/tools.'),
      what: z.string().min(1).max(300).describe('Its name, such as jq, node:prettier@3 or python:PyYAML.'),
    }),
    z.strictObject({
      kind: z.literal('remove').describe('Take a tool out of .oka/tools.'),
      what: z.string().min(1).max(300).describe('Its name, such as node:prettier.'),
      reason: z.string().max(500).optional().describe('Why.'),
    }),
    z.strictObject({
      kind: z.literal('tick').describe('Say that an entry of TODOS.md is done with.'),
      todo: z.string().min(1).max(400).describe('The entry, by its mark.'),
      text: z.string().max(20_000).default('').describe('The line as it was ticked.'),
    }),
    z.strictObject({
      kind: z.literal('procedure').describe('Put a procedure above what the numbers say.'),
      procedure: Id,
      to: z.enum(['promoted', 'demoted', 'retired']).describe('What it is to be.'),
      reason: z.string().max(500).default('').describe('Why.'),
    }),
    z.strictObject({
      kind: z.literal('take_back').describe('Take back something that maintenance has learned.'),
      change: z.int().positive().describe('The event in the maintenance ledger.'),
      reason: z.string().max(500).default('').describe('Why.'),
    }),
    z.strictObject({
      kind: z.literal('tidy').describe('Remove what is old, as the settings say.'),
      before: z
        .strictObject({
          artifacts: Instant.nullable().describe('Artifacts that no event names and that are older than this.'),
          outbox: Instant.nullable().describe('Results older than this.'),
        })
        .describe('What counts as old; null = nothing of it.'),
      outbox_mb: z.int().positive().nullable().describe('The oldest results go when the outbox is larger.'),
    }),
  ])
  .describe('A request from another process to the holder of the pen, dropped into .oka/intake.');
export type Intake = z.infer<typeof Intake>;
