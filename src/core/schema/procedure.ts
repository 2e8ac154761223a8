import { z } from 'zod';
import { JsonValue } from './json.ts';
import { Evidence } from './memory.ts';
import { Id, Instant, Sha256 } from './names.ts';

export const Parameter = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,39}$/)
      .describe('What it is called in the steps.'),
    kind: z.enum(['path', 'name', 'number', 'date', 'text']).describe('What may stand in its place.'),
    from: z
      .enum(['task', 'today', 'basename', 'stem', 'folder'])
      .describe('Read from the task, the day of the run, or made from another parameter that is a path.'),
    of: z.string().max(40).optional().describe('The parameter it is made from.'),
    examples: z.array(z.string().max(500)).max(10).default([]).describe('What stood there before.'),
  })
  .describe('Something that differs from task to task.');
export type Parameter = z.infer<typeof Parameter>;

export const ProcedureStatus = z
  .enum(['candidate', 'promoted', 'demoted', 'retired'])
  .describe('Being tried, in use, no longer used, or retired.');
export type ProcedureStatus = z.infer<typeof ProcedureStatus>;

export const Procedure = z
  .strictObject({
    id: Id,
    version: z.int().positive().default(1).describe('Incremented when it is updated.'),
    title: z.string().max(200).describe('What it is good for.'),
    trigger: z.array(z.string().max(2000)).min(1).max(50).describe('Tasks to which it applied; others are like them.'),
    task: z.string().max(20_000).describe('The text of its tasks, with {{name}} for what differs.'),
    parameters: z.array(Parameter).max(50).default([]).describe('What differs.'),
    shape: Sha256.describe('Its steps without what differs: two plans with the same shape do the same.'),
    graph: JsonValue.describe('Its steps as a graph whose inputs name {{input.parameter}}.'),
    criteria: z
      .array(
        z.strictObject({
          text: z.string().max(2000).describe('The criteria, with {{name}} for what differs.'),
          author: z.enum(['operator', 'model']).describe('Who wants it.'),
        }),
      )
      .max(200)
      .default([])
      .describe('How to see that it worked.'),
    tools: z.array(z.string().max(120)).max(200).describe('Tools that the steps use.'),
    targets: z
      .array(z.string().max(500))
      .max(1000)
      .nullable()
      .describe('What may change, with {{name}} for what differs; null when a person wrote the steps.'),
    steps: z.array(z.string().max(4000)).min(1).max(1000).describe('What to do, in order, for a person.'),
    pitfalls: z.array(z.string().max(1000)).max(50).default([]).describe('What went wrong before.'),
    evidence: z.array(Evidence).max(1000).describe('The runs behind it.'),
    from: Id.optional().describe('The member of the fleet that shared it; left out where it was learned here.'),
  })
  .describe('A reusable playbook, made from runs.');
export type Procedure = z.infer<typeof Procedure>;

const Column = z.string().max(80);
export const FileShape = z
  .strictObject({
    mark: z.string().max(20).describe('What separates its values or begins its lines; empty where nothing does.'),
    columns: z.array(Column).max(30).describe('The names in its first line; empty where it names none.'),
    values: z.array(Column).max(30).describe('The kinds of values of each column.'),
    rows: z.int().nonnegative().describe('How many lines of values it has.'),
  })
  .describe('What a file is like, whatever it says.');
export type FileShape = z.infer<typeof FileShape>;

const Inputs = z.record(z.string().max(500), FileShape);

export const ResultTraits = z
  .strictObject({
    files: z.int().nonnegative().describe('How many files were created or changed.'),
    bytes: z.int().nonnegative().describe('How large they are together.'),
    rows: z.int().nonnegative().describe('How many lines of values they have.'),
    read: z.int().nonnegative().describe('How many lines of values were read.'),
    columns: z.array(Column).max(30).describe('What the first table among them names.'),
    zero: z.boolean().nullable().describe('Whether every number in them is 0; null without numbers.'),
    odd: z.array(z.string().max(1000)).max(10).optional().describe('What is not like before, for a person.'),
  })
  .describe('What the result of a procedure is like.');
export type ResultTraits = z.infer<typeof ResultTraits>;

const Range = z.strictObject({
  least: z.int().nonnegative().describe('The smallest.'),
  most: z.int().nonnegative().describe('The largest.'),
});
export const ExpectedResult = z
  .strictObject({
    files: Range.describe('How many files.'),
    bytes: Range.describe('Their size together.'),
    same_rows: z.boolean().describe('Whether there were always as many lines as were read.'),
    columns: z.array(Column).max(30).nullable().describe('What tables always named; null where that differed.'),
    not_zero: z.boolean().describe('Whether there was always a number other than 0.'),
  })
  .describe('What results were like that were right.');
export type ExpectedResult = z.infer<typeof ExpectedResult>;

export const Usual = z
  .strictObject({
    inputs: z
      .record(z.string().max(500), z.array(FileShape).max(12))
      .describe('By the place of a file in the steps: what it was like.'),
    result: ExpectedResult.nullable(),
  })
  .describe('What good runs read and wrote.');
export type Usual = z.infer<typeof Usual>;

const side = z.strictObject({
  runs: z.int().nonnegative().describe('How many.'),
  fine: z.int().nonnegative().describe('How many of them were done at once and left uncorrected.'),
  seconds: z.number().nonnegative().nullable().describe('Median time.'),
  tokens: z.number().nonnegative().nullable().describe('Median of model tokens.'),
});

export const ProcedureNumbers = z
  .strictObject({
    successes: z.int().nonnegative().describe('Successful executions of its steps that do not depend on each other.'),
    with: side.describe('Runs with it.'),
    without: side.describe('Comparable runs without it.'),
    wins: z.int().nonnegative().describe('Comparisons in which the run with it was better.'),
    losses: z.int().nonnegative().describe('Comparisons in which it was worse.'),
    e_value: z.number().nonnegative().describe('Evidence that it is better; 1 says nothing, 20 is a lot.'),
    contradictions: z.int().nonnegative().describe('Recent runs with it that failed, were reworked or corrected.'),
    last_validated: Instant.nullable().describe('When a run with its steps last went well.'),
  })
  .describe('What speaks for a procedure and against it.');
export type ProcedureNumbers = z.infer<typeof ProcedureNumbers>;

export const ProcedureMove = z
  .strictObject({
    procedure: Id.describe('Which procedure.'),
    from: ProcedureStatus.nullable().describe('What it was; null when it is new.'),
    to: ProcedureStatus,
    by: z.enum(['gate', 'person']).describe('The numbers, or a person.'),
    forced: z.boolean().default(false).describe('Whether a person put it above the numbers.'),
    probation: z
      .literal(true)
      .optional()
      .describe('Set while its uses are judged by the critic as well, until enough of them went well.'),
    numbers: ProcedureNumbers,
    usual: Usual.optional(),
    reason: z.string().max(2000).describe('Why, for a person.'),
  })
  .describe('A procedure was promoted, demoted, retired, or is new.');
export type ProcedureMove = z.infer<typeof ProcedureMove>;

export const ProcedureChoice = z
  .strictObject({
    procedure: Id.describe('Which procedure.'),
    version: z.int().positive().describe('Which version of it.'),
    arm: z
      .enum(['used', 'trial', 'held_back', 'offered'])
      .describe(
        'Planned from it; the same, as a trial of a candidate; planned without it, for comparison; shown to the planner.',
      ),
    judge: z
      .enum(['critic', 'checks'])
      .optional()
      .describe('Who judges the result: the critic as well, or its checks alone. Earlier versions did not say.'),
    parameters: z.record(z.string(), z.string().max(2000)).describe('What was filled in.'),
    inputs: Inputs.optional().describe('What the files are like that its steps read, by their place in the steps.'),
    expects: ExpectedResult.optional(),
    saves: z
      .strictObject({
        tokens: z.number().nonnegative().nullable().describe('Model tokens that such a task took without it.'),
        seconds: z.number().nonnegative().nullable().describe('Time that such a task took without it.'),
      })
      .nullable()
      .describe('What comparable runs took without it (medians); null when it was not used.'),
    reason: z.string().max(2000).describe('Why, for a person.'),
  })
  .describe('A task matched a procedure, and what followed from that.');
export type ProcedureChoice = z.infer<typeof ProcedureChoice>;
