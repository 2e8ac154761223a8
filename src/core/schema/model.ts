import { z } from 'zod';
import { JsonValue } from './json.ts';

const ModelProvider = z
  .string()
  .max(60)
  .regex(/^[a-z][a-z0-9-]*$/, 'must be the name of a provider, such as openai')
  .describe(
    'Who serves it: openai, anthropic, ollama, custom (any OpenAI-compatible server), scripted (plays answers from a file), or a provider of another room.',
  );

export const ModelName = z
  .string()
  .max(300)
  .regex(
    /^[a-z][a-z0-9-]*:\S+$/,
    'must be provider:model, such as openai:gpt-5-mini, anthropic:claude-sonnet-4-5, ollama:llama3.2 or custom:name',
  )
  .describe('provider:model.');

export const ModelRole = z
  .enum(['planner', 'executor', 'critic'])
  .describe('Who asks: the one that plans, the one that acts, or the one that judges.');
export type ModelRole = z.infer<typeof ModelRole>;

export const ModelPrice = z
  .strictObject({
    in: z.number().nonnegative().describe('USD for a million prompt tokens.'),
    out: z.number().nonnegative().describe('USD for a million answer tokens.'),
    cached_in: z
      .number()
      .nonnegative()
      .optional()
      .describe('USD for a million prompt tokens that the provider had in its cache; default: as the others.'),
  })
  .describe('What a model costs.');
export type ModelPrice = z.infer<typeof ModelPrice>;

const sampling = {
  temperature: z.number().min(0).max(2).optional().describe('Randomness; lower is steadier.'),
  top_p: z.number().min(0).max(1).optional().describe('Nucleus sampling.'),
};

export const ModelSampling = z
  .strictObject({
    ...sampling,
    seed: z.int().nonnegative().max(2_147_483_647).optional().describe('Seed, where the provider has one.'),
  })
  .describe('How one answer is sampled.');
export type ModelSampling = z.infer<typeof ModelSampling>;

const tuning = {
  ...sampling,
  max_tokens: z
    .int()
    .positive()
    .max(1_000_000)
    .optional()
    .describe('Longest answer in tokens, thoughts of a thinking model included; default: as the model allows.'),
  context_tokens: z
    .int()
    .min(2048)
    .max(10_000_000)
    .optional()
    .describe('Context window in tokens, which decides how much a prompt shows; default: what is known of the model.'),
  timeout_seconds: z
    .number()
    .positive()
    .max(300)
    .optional()
    .describe('A call times out after this long without a response; default 240.'),
};

const own = {
  base_url: z.url().optional().describe('Address of the provider, if not the usual one.'),
  ...tuning,
  price: ModelPrice.optional().describe('What it costs, if oka does not know it.'),
  tool_calls: z
    .enum(['native', 'text'])
    .optional()
    .describe(
      'How it calls tools: native (default) = tool calls of the provider; text = one marked block at the end of its answer, for models without tool calls.',
    ),
  sees: z
    .boolean()
    .optional()
    .describe(
      'Whether it understands pictures, and is sent those that a step reads; default: what is known of the model, no if it is unknown.',
    ),
  extra: z
    .record(z.string(), JsonValue)
    .optional()
    .describe(
      'Further options of the provider, sent as they are; for ollama and custom they are fields of the request.',
    ),
};

export const ModelSettings = z
  .strictObject({
    provider: ModelProvider,
    model: z.string().min(1).max(300).describe('Name of the model at the provider.'),
    ...own,
  })
  .describe('A language model and how it is called. Keys are stored in the vault, never here.');
export type ModelSettings = z.infer<typeof ModelSettings>;

export const ModelsConfig = z
  .strictObject({
    use: ModelName.optional().describe('The model for everything; OKA_MODEL overrides it.'),
    roles: z
      .strictObject({
        planner: ModelName.optional().describe('Another model for planning.'),
        executor: ModelName.optional().describe('Another model for acting.'),
        critic: ModelName.optional().describe('Another model for judging.'),
      })
      .prefault({})
      .describe('Other models for single roles.'),
    ...tuning,
    ask_again_seconds: z
      .number()
      .min(0.05)
      .max(3600)
      .default(5)
      .describe('A model that is down is retried after this long, then after twice as long, up to five minutes.'),
    calls_per_answer: z
      .int()
      .min(1)
      .max(256)
      .default(32)
      .describe(
        'Tool calls that one answer may contain. Of an answer with more none is made, and the model gets the reason.',
      ),
    settings: z
      .record(ModelName, z.strictObject(own).describe('Settings of this model alone; they override the general ones.'))
      .default({})
      .describe('By provider:model.'),
  })
  .describe('Language models: which, and how they are called.');
export type ModelsConfig = z.infer<typeof ModelsConfig>;
