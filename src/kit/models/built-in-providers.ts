/** The providers that come with oka. Another one is a definition like these, in the `providers` of a room. */
import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProviderDefinition } from '../../core/schema/model-provider.ts';
import { anthropicUrl, customUrl, ollamaUrl, withVersionPath } from './base-url.ts';
import { isKnownToSee } from './picture-support.ts';
import { FREE, priceOf } from './prices.ts';
import { scriptedFromFile } from './scripted-model.ts';
import type { SdkClient } from './provider-model.ts';
import { sdkProvider } from './sdk-provider.ts';

/** The clients require a key even if the server does not. */
const NO_KEY = 'none';

/** A server that speaks the OpenAI protocol. */
const compatible =
  (name: string): SdkClient['languageModel'] =>
  async ({ model, baseUrl: baseURL }, key, fetch) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const own = key === null ? {} : { apiKey: key };
    return createOpenAICompatible({ name, baseURL, ...own, fetch, includeUsage: true }).chatModel(model);
  };

const bearer = (key: string | null): Record<string, string> => (key === null ? {} : { authorization: `Bearer ${key}` });

const openai = sdkProvider({
  name: 'openai',
  sees: isKnownToSee,
  setup: { label: 'OpenAI', asksAddress: false, example: 'gpt-5-mini' },
  listHeaders: bearer,
  variables: ['OPENAI_BASE_URL'],
  keyName: 'OPENAI_API_KEY',
  needsKey: (baseUrl) => new URL(baseUrl).hostname === 'api.openai.com',
  baseUrl: (configured, { OPENAI_BASE_URL: set }) =>
    withVersionPath(configured ?? (set || 'https://api.openai.com/v1'), 'OPENAI_BASE_URL'),
  priceOf: (model) => priceOf(`openai:${model}`),
  oneCall: { parallelToolCalls: false },
  languageModel: async ({ model, baseUrl: baseURL }, apiKey, fetch) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL, apiKey: apiKey ?? NO_KEY, fetch }).chat(model);
  },
});

const anthropic = sdkProvider({
  name: 'anthropic',
  sees: isKnownToSee,
  setup: { label: 'Anthropic', asksAddress: false, example: 'claude-sonnet-4-5' },
  listHeaders: (key) => ({ 'anthropic-version': '2023-06-01', ...(key === null ? {} : { 'x-api-key': key }) }),
  variables: ['ANTHROPIC_BASE_URL'],
  keyName: 'ANTHROPIC_API_KEY',
  needsKey: () => true,
  baseUrl: (configured, { ANTHROPIC_BASE_URL: set }) =>
    anthropicUrl(configured ?? (set || 'https://api.anthropic.com/v1')),
  priceOf: (model) => priceOf(`anthropic:${model}`),
  oneCall: { disableParallelToolUse: true },
  cacheMark: { cacheControl: { type: 'ephemeral' } },
  languageModel: async ({ model, baseUrl: baseURL }, apiKey, fetch) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL, apiKey: apiKey ?? NO_KEY, fetch })(model);
  },
});

const ollama = sdkProvider({
  name: 'ollama',
  sees: isKnownToSee,
  setup: { label: 'Ollama, on this machine or another one', asksAddress: true, example: 'llama3.2' },
  listHeaders: bearer,
  variables: ['OLLAMA_HOST'],
  keyName: null,
  needsKey: () => false,
  baseUrl: (configured, { OLLAMA_HOST: set }) =>
    withVersionPath(configured ?? ollamaUrl(set || '127.0.0.1'), 'OLLAMA_HOST'),
  priceOf: () => FREE,
  oneCall: {},
  advice: {
    unknown: ({ model }) => `Run: ollama pull ${model}`,
    down: ({ baseUrl }) => `Start it with: ollama serve. It is expected at ${baseUrl}.`,
  },
  languageModel: compatible('ollama'),
});

const custom = sdkProvider({
  name: 'custom',
  sees: isKnownToSee,
  setup: { label: 'another server that speaks the OpenAI protocol', asksAddress: true, example: 'my-model' },
  listHeaders: bearer,
  variables: ['OKA_MODEL_URL'],
  keyName: 'OKA_MODEL_KEY',
  needsKey: () => false,
  baseUrl: (configured, { OKA_MODEL_URL: set }) => customUrl(configured ?? set ?? ''),
  priceOf: () => null,
  oneCall: { parallel_tool_calls: false },
  languageModel: compatible('custom'),
});

/** Plays answers from a file. */
const scripted: ProviderDefinition = {
  name: 'scripted',
  keyName: null,
  needsKey: () => false,
  baseUrl: () => '',
  priceOf: () => FREE,
  problems: ({ model }, { folder }) => {
    const file = resolve(folder, model);
    const isThere = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
    return isThere ? [] : [{ message: `${file} is not a file`, fix: 'Write a script there, or name another model.' }];
  },
  open: ({ model }, { folder }) => scriptedFromFile(resolve(folder, model), `scripted:${model}`),
};

export const builtInProviders: readonly ProviderDefinition[] = [openai, anthropic, ollama, custom, scripted];
