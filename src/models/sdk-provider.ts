/** Owns: providers that are called through the AI SDK, which is loaded with the first call only. */
import type { LanguageModel } from 'ai';
import type { Json } from '../schema/json.ts';
import type { Called, Fetch, ProviderDefinition } from '../schema/model-provider.ts';
import { providerModel } from './provider-model.ts';

export type SdkProvider = Omit<ProviderDefinition, 'open'> & {
  languageModel: (called: Called, key: string | null, fetch: Fetch) => Promise<LanguageModel>;
  /** Its option for at most one tool call per turn; `extra` overrides it. */
  oneCall: Readonly<Record<string, Json>>;
};

export function sdkProvider(provider: SdkProvider): ProviderDefinition {
  const { languageModel, oneCall, ...definition } = provider;
  return { ...definition, open: (called, ports) => providerModel(called, ports, { languageModel, oneCall }) };
}
