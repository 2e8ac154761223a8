/** Owns: which environment variables are about models: two of oka itself, and those of the providers. */
import type { ProviderDefinition, Variables } from '../schema/model-provider.ts';

/** The variables that are read; an empty one counts as not set. */
export function environmentNames(providers: readonly ProviderDefinition[]): string[] {
  const own = providers.flatMap(({ keyName, variables = [] }) => [
    ...variables,
    ...(keyName === null ? [] : [keyName]),
  ]);
  return ['OKA_MODEL', 'OKA_CASSETTE', ...own];
}

export type ModelEnvironment = Variables & { readonly OKA_MODEL?: string; readonly OKA_CASSETTE?: string };
