/** Owns: providers that are called through the AI SDK, which is loaded with the first call only. */
import type { ProviderDefinition } from '../../core/schema/model-provider.ts';
import { providerModel, type SdkClient } from './provider-model.ts';

export function sdkProvider(provider: Omit<ProviderDefinition, 'open'> & SdkClient): ProviderDefinition {
  const { languageModel, oneCall, cacheMark, ...definition } = provider;
  const client = { languageModel, oneCall, ...(cacheMark === undefined ? {} : { cacheMark }) };
  return { ...definition, open: (called, ports) => providerModel(called, ports, client) };
}
