import { z } from 'zod';
import { type Json, JsonValue } from '../../../core/schema/json.ts';
import { Id } from '../../../core/schema/names.ts';
import type { Tool, ToolCall } from '../../../core/schema/tool.ts';
import { defineTool } from '../../../kit/define-tool.ts';

/** Starts a run, or finds the one this call has started before: its id must derive from the call. Returns the id. */
type StartRun = (request: { graph: string; input: Json; call: ToolCall }) => Promise<string>;

/** The class is `read`: starting changes nothing by itself, and every call of the child is guarded in its turn. */
export function runTool(start: StartRun): Tool {
  return defineTool({
    name: 'run.start',
    internal: true,
    about: 'Runs another graph as a child of this run and waits for its result.',
    input: z.strictObject({
      graph: Id.describe('Name of the graph.'),
      input: JsonValue.default({}).describe('What the graph is started with.'),
      any_end: z.boolean().default(false).describe('Whether to go on however it ends, with its status as the result.'),
    }),
    output: JsonValue.describe('The result of the child.'),
    annotations: { idempotent: true, risk: 'medium' },
    targets: ['graph'],
    class: 'read',
    act: async ({ graph, input, any_end }, call) => {
      const run = await start({ graph, input, call });
      return { status: 'waiting', for: { kind: 'child', run, ...(any_end ? { any_end } : {}) } };
    },
  });
}
