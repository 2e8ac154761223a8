/** Owns: loading the AI SDK, with the first call only, so that everything else starts fast. */
import type { LanguageModel } from 'ai';
import { OkaError } from '../schema/errors.ts';
import type { Called } from './model-settings.ts';

export type Fetch = typeof globalThis.fetch;

/** The clients require a key even if the server does not. */
const NO_KEY = 'none';

export async function loadSdk(): Promise<typeof import('ai')> {
  // The SDK would print warnings about unsupported settings to the terminal.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}

export async function languageModel(called: Called, key: string | null, fetch: Fetch): Promise<LanguageModel> {
  const { provider, model, baseUrl: baseURL } = called;
  const apiKey = key ?? NO_KEY;
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ baseURL, apiKey, fetch }).chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ baseURL, apiKey, fetch })(model);
    }
    case 'ollama':
    case 'custom': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const own = key === null ? {} : { apiKey: key };
      return createOpenAICompatible({ name: provider, baseURL, ...own, fetch, includeUsage: true }).chatModel(model);
    }
    case 'scripted':
      throw new OkaError('usage', 'a scripted model has no provider');
  }
}

/** At most one tool call per turn, where the provider has such an option. `extra` overrides it. */
export function providerOptions({ provider, extra }: Called, withTools: boolean): Record<string, Called['extra']> {
  switch (provider) {
    case 'openai':
      return { openai: { ...(withTools ? { parallelToolCalls: false } : {}), ...extra } };
    case 'anthropic':
      return { anthropic: { ...(withTools ? { disableParallelToolUse: true } : {}), ...extra } };
    case 'custom':
      return { custom: { ...(withTools ? { parallel_tool_calls: false } : {}), ...extra } };
    case 'ollama':
      return { ollama: extra };
    case 'scripted':
      return {};
  }
}
