/** What the page of a graph asks for and is answered. */
import { z } from 'zod';
import { GraphSaved } from '../../../core/schema/graph.ts';
import { JsonValue } from '../../../core/schema/json.ts';
import { Id, Instant, Sha256 } from '../../../core/schema/names.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { Mode, RunStatus } from '../../../core/schema/run.ts';
import { Drawing } from '../../../kit/web/drawn-graph.ts';
import type { RunRow } from '../../../kit/views/run-rows.ts';
import { statusForPeople } from '../../../kit/views/run-status.ts';

export type Problem = z.infer<typeof Problem>;
export const Problem = z
  .strictObject({
    path: z.string().describe('Where, such as nodes.2.tool.'),
    problem: z.string().describe('What is wrong.'),
    rule: z.string().nullable().describe('Which rule it is against.'),
    fix: z.string().nullable().describe('What to do about it, where that is clear.'),
  })
  .describe('Something that is wrong with a graph.');

export type GraphCheckAnswer = z.infer<typeof GraphCheckAnswer>;
export const GraphCheckAnswer = z
  .strictObject({
    valid: z.boolean().describe('Whether it could run.'),
    problems: z.array(Problem).describe('Everything that is wrong.'),
    drawing: Drawing.nullable().describe('Its picture; null when it is no graph, or has too many nodes.'),
  })
  .describe('What is wrong with a graph, and how it looks.');

export type GraphRunRow = z.infer<typeof GraphRunRow>;
export const GraphRunRow = z
  .strictObject({
    run: Id,
    status: RunStatus,
    started: Instant.describe('When it began.'),
    ended: Instant.nullable().describe('When it ended; null when it has not.'),
    reason: z.string().describe('Why it ended so.'),
  })
  .describe('A run of a graph.');

export function toGraphRunRow(rows: Rows, row: RunRow): GraphRunRow {
  const { run, started, ended, reason } = row;
  return { run, status: statusForPeople(rows, row), started, ended, reason };
}

type GraphTimes = z.infer<typeof GraphTimes>;
const GraphTimes = z
  .strictObject({
    schedule: Id,
    title: z.string().describe('What it is called.'),
    says: z.string().describe('When it is due, in words.'),
    timezone: z.string().describe('Its time zone.'),
    on: z.boolean().describe('Whether it runs.'),
    next: z.array(Instant).describe('The next five times; none when it is off or over.'),
  })
  .describe('A schedule that runs the graph.');

export type GraphAnswer = z.infer<typeof GraphAnswer>;
export const GraphAnswer = GraphCheckAnswer.extend({
  graph: Id,
  title: z.string().nullable().describe('What it does, for a person.'),
  mode: Mode.nullable().describe('Its mode; null when it cannot be read.'),
  nodes: z.int().nonnegative().describe('How many nodes it has.'),
  file: z.string().describe('Its file, below the home.'),
  source: z
    .enum(['file', 'template', 'version'])
    .describe('Where the text is from; a graph without a file is not saved.'),
  text: z.string().describe('The graph as it is written.'),
  sha256: Sha256.nullable().describe('The hash of the file; null where there is none.'),
  inputs: JsonValue.nullable().describe('JSON Schema of its input; null when it takes anything.'),
  run: Id.nullable().describe('The run that the picture shows.'),
  runs: z.array(GraphRunRow).describe('Its last runs, the latest first.'),
  versions: z
    .array(
      z.strictObject({
        version: Sha256,
        cause: GraphSaved.shape.cause,
        at: Instant.describe('When it was saved.'),
        current: z.boolean().describe('Whether the file has it now.'),
      }),
    )
    .describe('Its saved versions, the latest first.'),
  state: z
    .array(
      z.strictObject({
        key: z.string(),
        value: JsonValue.nullable().describe('What is remembered; null where it is large.'),
        bytes: z.int().nonnegative().describe('Its size.'),
        at: Instant.describe('When it was written.'),
        by: z.string().describe('The run or the person that wrote it.'),
        seq: z.int().positive().describe('The event that wrote it.'),
      }),
    )
    .describe('What it remembers.'),
  schedules: z.array(GraphTimes).describe('When it runs by itself.'),
}).describe('A graph: its text, picture, problems, runs, versions, state and times.');

export type GraphVersionAnswer = z.infer<typeof GraphVersionAnswer>;
export const GraphVersionAnswer = z
  .strictObject({ graph: Id, version: Sha256, text: z.string().describe('The graph as it was written then.') })
  .describe('A saved version of a graph.');

export type GraphSchemaAnswer = z.infer<typeof GraphSchemaAnswer>;
export const GraphSchemaAnswer = z
  .strictObject({
    schema: JsonValue.describe('JSON Schema of a graph as people write it.'),
    tools: z.array(z.string()).describe('The names of all tools.'),
    inputs: z.record(z.string(), JsonValue).describe('JSON Schemas of what tools take, by the name of the tool.'),
  })
  .describe('What can be written in a graph.');
