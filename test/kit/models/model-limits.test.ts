import { describe, expect, it } from 'vitest';
import { limitsOf } from '../../../src/kit/models/model-limits.ts';

describe('what a model reads and writes', () => {
  it.each([
    ['openai', 'gpt-4o-mini', 128_000, 16_384],
    ['openai', 'gpt-5.4', 272_000, 32_768],
    ['openai', 'o3-mini', 272_000, 32_768],
    ['anthropic', 'claude-3-haiku-20240307', 200_000, 4096],
    ['anthropic', 'claude-sonnet-4-5', 200_000, 16_384],
    ['custom', 'anthropic/claude-sonnet-4-5', 200_000, 16_384],
    ['custom', 'house-model', 32_768, 8192],
    ['ollama', 'llama3.2', 8192, 4096],
    ['ollama', 'qwen3:8b', 8192, 8192],
    ['scripted', 'answers.json', 8192, 4096],
  ])('%s:%s has a context of %i tokens and answers of %i', (provider, model, context, answer) => {
    expect(limitsOf({ provider, model })).toEqual({ context, answer });
  });
});
