import { z } from 'zod';

export const ModelSettings = z
  .strictObject({
    provider: z
      .enum(['openai', 'anthropic', 'ollama', 'custom', 'scripted'])
      .describe('Who serves it; custom is any OpenAI-compatible server.'),
    model: z.string().min(1).max(200).describe('Name of the model at the provider.'),
    base_url: z.url().optional().describe('Where the provider listens, if not at its usual place.'),
    temperature: z.number().min(0).max(2).optional().describe('Randomness; lower is steadier.'),
    top_p: z.number().min(0).max(1).optional().describe('Nucleus sampling.'),
    max_tokens: z.int().positive().optional().describe('Longest answer.'),
  })
  .describe('A language model and how it is called. Keys are kept in the vault, never here.');
export type ModelSettings = z.infer<typeof ModelSettings>;
