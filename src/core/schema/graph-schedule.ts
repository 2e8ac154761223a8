import { z } from 'zod';
import { JsonValue } from './json.ts';
import { Id } from './names.ts';
import { scheduleFields } from './schedule.ts';

/** A JSON file in workspace/schedules that runs a graph. */
export const GraphSchedule = z
  .strictObject({
    id: Id.optional().describe('Its name. Default: that of the file.'),
    graph: z.string().min(1).max(1000).describe('The graph: its name in workspace/graphs, or a file.'),
    input: JsonValue.optional().describe('What the graph is given.'),
    title: z.string().max(500).optional().describe('What it is called. Default: the name of the graph.'),
    ...scheduleFields,
  })
  .describe('A schedule of a graph: a file in workspace/schedules.');
export type GraphSchedule = z.infer<typeof GraphSchedule>;

/** The schedule in a JSON value, or what is wrong with it. */
export function parseGraphSchedule(json: unknown): GraphSchedule | { problem: string } {
  const result = GraphSchedule.safeParse(json);
  return result.success ? result.data : { problem: z.prettifyError(result.error) };
}
