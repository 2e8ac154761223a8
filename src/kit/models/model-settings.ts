/**
 * Owns: the settings a model is called with, from the environment, config.json and the provider's defaults.
 * Does not own: reading any of them (kit/settings.ts), nor the keys, which are requested before each call.
 */
import { OkaError } from '../../core/schema/errors.ts';
import type { ModelsConfig } from '../../core/schema/model.ts';
import type { Called, NamedModel, ProviderDefinition } from '../../core/schema/model-provider.ts';
import type { Redact } from '../../core/schema/ports.ts';
import type { ModelEnvironment } from './model-environment.ts';
import { limitsOf } from './model-limits.ts';
import { type ModelNames, nameOf, parseModelName, parseModelNames } from './model-name.ts';

export type ModelsSettings = {
  /** All providers there are. */
  providers: readonly ProviderDefinition[];
  environment: ModelEnvironment;
  /** The part `models` of config.json. */
  config: ModelsConfig;
  /** Returns a secret by its name, for this host alone; overrides the environment. If it throws, the turn fails. */
  vault?: (name: string, host: string) => Promise<string | null>;
  /** The folder that relative paths of scripts refer to. */
  folder: string;
  /** The folder of recorded traffic. */
  cassettes: string;
  redact: Redact;
};

const TIMEOUT_SECONDS = 240;

/** Throws for an invalid name. */
export function namesIn({
  environment,
  config,
  providers,
}: Pick<ModelsSettings, 'environment' | 'config' | 'providers'>): ModelNames {
  const known = providers.map(({ name }) => name);
  const names: ModelNames = {};
  for (const name of Object.keys(config.settings)) parseModelName(name, known, 'models.settings in config.json');
  if (config.use !== undefined) names.default = parseModelName(config.use, known, 'models.use in config.json');
  for (const role of ['planner', 'executor', 'critic'] as const) {
    const name = config.roles[role];
    if (name !== undefined) names[role] = parseModelName(name, known, `models.roles.${role} in config.json`);
  }
  return { ...names, ...parseModelNames(environment.OKA_MODEL ?? '', known) };
}

export function resolveModel(name: NamedModel, settings: ModelsSettings): Called {
  const { config, environment } = settings;
  const own = config.settings[nameOf(name)] ?? {};
  const provider = providerOf(name, settings);
  const { keyName } = provider;
  const limits = limitsOf(name);
  const baseUrl = provider.baseUrl(own.base_url, environment);
  return {
    ...name,
    baseUrl,
    keyName,
    needsKey: provider.needsKey(baseUrl),
    advice: provider.advice ?? {},
    key: () => (keyName === null ? Promise.resolve(null) : keyFrom(settings, keyName, new URL(baseUrl).host)),
    temperature: own.temperature ?? config.temperature ?? null,
    topP: own.top_p ?? config.top_p ?? null,
    maxTokens: own.max_tokens ?? config.max_tokens ?? limits.answer,
    contextTokens: own.context_tokens ?? config.context_tokens ?? limits.context,
    timeoutMs: (own.timeout_seconds ?? config.timeout_seconds ?? TIMEOUT_SECONDS) * 1000,
    price: own.price ?? provider.priceOf(name.model),
    toolCalls: own.tool_calls ?? 'native',
    sees: own.sees ?? provider.sees?.(name.model) ?? false,
    extra: own.extra ?? {},
  };
}

/** Throws if there is no such provider. */
export function providerOf(
  { provider }: NamedModel,
  { providers }: Pick<ModelsSettings, 'providers'>,
): ProviderDefinition {
  const found = providers.find(({ name }) => name === provider);
  if (found === undefined) throw new OkaError('usage', `there is no provider "${provider}" of models`);
  return found;
}

async function keyFrom({ vault, environment }: ModelsSettings, name: string, host: string): Promise<string | null> {
  const value = (await vault?.(name, host)) ?? environment[name] ?? '';
  return value.trim() === '' ? null : value.trim();
}
