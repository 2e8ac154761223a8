/** Graphs as the Anton runtime writes them (version 0.2), read by `oka graph import`. What is not named here is reported. */
import { z } from 'zod';
import { JsonValue } from '../../../core/schema/json.ts';

const Name = z.string().min(1).max(200);
const Next = z.union([Name, z.array(Name).min(1).max(1000)]);
const Contract = z.record(z.string(), JsonValue);

const shared = {
  node_id: Name,
  name: z.string().optional(),
  description: z.string().optional(),
  input: JsonValue.optional(),
  input_schema: Contract.optional(),
  output_schema: Contract.optional(),
  idempotency_key: z.string().optional(),
  timeout_seconds: z.number().positive().max(86_400).optional(),
  max_retries: z.int().nonnegative().max(20).optional(),
  fallback_output: JsonValue.optional(),
  state_access_enabled: z.boolean().optional(),
};

export const AntonNode = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('start'), ...shared, next: Next }),
  z.looseObject({ type: z.literal('end'), ...shared }),
  z.looseObject({ type: z.literal('transform'), ...shared, next: Next, value: JsonValue.optional() }),
  z.looseObject({
    type: z.literal('tool'),
    ...shared,
    next: Next,
    tool: Name.optional(),
    tool_name: Name.optional(),
    args: JsonValue.optional(),
    parameters: JsonValue.optional(),
  }),
  z.looseObject({
    type: z.literal('ai_template'),
    ...shared,
    next: Next,
    prompt: z.string().optional(),
    prompt_template: z.string().optional(),
    system_prompt: z.string().optional(),
    output_format: z.enum(['text', 'json']).optional(),
  }),
  z.looseObject({
    type: z.literal('condition'),
    ...shared,
    strategy: z.enum(['typed_condition', 'llm_condition']),
    if_true: Name,
    if_false: Name,
    operator: z.string().optional(),
    left: JsonValue.optional(),
    right: JsonValue.optional(),
    branch_options: z.array(Name).min(1).max(50).optional(),
    branch_targets: z.record(Name, Name).optional(),
    llm_prompt: z.string().optional(),
    prompt: z.string().optional(),
    decision: JsonValue.optional(),
  }),
  z.looseObject({ type: z.literal('read_state'), ...shared, next: Next, key: Name }),
  z.looseObject({ type: z.literal('write_state'), ...shared, next: Next, key: Name, value: JsonValue.optional() }),
  z.looseObject({
    type: z.literal('read_prior_runs'),
    ...shared,
    next: Next,
    limit: z.int().positive().max(1000).optional(),
  }),
]);
export type AntonNode = z.infer<typeof AntonNode>;

export const AntonGraph = z.looseObject({
  id: z.string().min(1).max(200),
  name: z.string().optional(),
  description: z.string().optional(),
  version: JsonValue.optional(),
  start: Name,
  max_steps: z.int().positive().optional(),
  execution_defaults: z
    .looseObject({
      guarantee_mode: z.enum(['strict', 'bounded', 'flex']).optional(),
      ai_edge_policy: z.enum(['always', 'auto', 'never']).optional(),
      timeout_seconds: z.number().positive().max(86_400).optional(),
      max_retries: z.int().nonnegative().max(20).optional(),
    })
    .optional(),
  state_access: z.looseObject({ default_enabled: z.boolean().optional() }).optional(),
  nodes: z.array(AntonNode).min(1).max(10_000),
});
export type AntonGraph = z.infer<typeof AntonGraph>;
