/** What the page Graphs is answered. */
import { z } from 'zod';
import { Id, Instant } from '../../../core/schema/names.ts';
import { Mode } from '../../../core/schema/run.ts';
import { GraphRunRow } from '../graph-page/graph-answers.ts';

export const GraphRow = z
  .strictObject({
    graph: Id,
    title: z.string().nullable().describe('What it does, for a person.'),
    nodes: z.int().nonnegative().describe('How many nodes it has.'),
    mode: Mode.nullable().describe('Its mode; null when it cannot be read.'),
    author: z.enum(['operator', 'model']).nullable().describe('Who wrote it; null when it cannot be read.'),
    problem: z.string().nullable().describe('Why it could not run, the first of several; null when it could.'),
    problems: z.int().nonnegative().describe('How many problems it has.'),
    last_run: GraphRunRow.nullable().describe('Its last run.'),
    next: Instant.nullable().describe('When it runs next by itself.'),
  })
  .describe('A graph in workspace/graphs.');

export type GraphsAnswer = z.infer<typeof GraphsAnswer>;
export const GraphsAnswer = z
  .strictObject({
    graphs: z.array(GraphRow).describe('In the order of their names.'),
    templates: z
      .array(z.strictObject({ template: Id, title: z.string() }))
      .describe('What a new graph may start from.'),
  })
  .describe('The graphs of this home.');
