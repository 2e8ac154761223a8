/** Every concept that has a schema, by the name under which `oka schema` prints it. */
import { z } from 'zod';
import { Config } from './config.ts';
import { Decision } from './decision.ts';
import { eventData, LineShape } from './event.ts';
import { Frame } from './frame.ts';
import { Graph } from './graph.ts';
import { Intake } from './intake.ts';
import { Episode, Fact } from './memory.ts';
import { Message } from './message.ts';
import { ModelSettings } from './model.ts';
import { Policy } from './policy.ts';
import { Procedure } from './procedure.ts';
import { Run } from './run.ts';
import { TaskFile } from './task-file.ts';
import { ToolAnnotations } from './tool.ts';
import { WaitFor } from './wait.ts';

export const catalog: Readonly<Record<string, z.ZodType>> = {
  config: Config,
  decision: Decision,
  episode: Episode,
  event: LineShape,
  fact: Fact,
  frame: Frame,
  graph: Graph,
  intake: Intake,
  message: Message,
  model: ModelSettings,
  policy: Policy,
  procedure: Procedure,
  run: Run,
  'task-file': TaskFile,
  tool: ToolAnnotations,
  wait: WaitFor,
  ...Object.fromEntries(Object.entries(eventData).map(([type, schema]) => [`event:${type}`, schema])),
};

export function jsonSchemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}
