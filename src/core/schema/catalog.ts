/** Concepts that belong to no room alone, by the name under which `oka schema` prints them; rooms contribute the others. */
import { z } from 'zod';
import { Config } from './config.ts';
import { Decision } from './decision.ts';
import { eventData, LineShape } from './event.ts';
import { Frame } from './frame.ts';
import { Graph } from './graph.ts';
import { Message } from './message.ts';
import { Run } from './run.ts';
import { ToolAnnotations } from './tool.ts';
import { WaitFor } from './wait.ts';

export const catalog: Readonly<Record<string, z.ZodType>> = {
  config: Config,
  decision: Decision,
  event: LineShape,
  frame: Frame,
  graph: Graph,
  message: Message,
  run: Run,
  tool: ToolAnnotations,
  wait: WaitFor,
  ...Object.fromEntries(Object.entries(eventData).map(([type, schema]) => [`event:${type}`, schema])),
};

export function jsonSchemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}
