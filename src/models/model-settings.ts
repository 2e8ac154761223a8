/**
 * Owns: the settings a model is called with, from the environment, config.json and the provider's defaults.
 * Does not own: reading any of them (daemon/settings.ts), nor the keys, which are requested before each call.
 */
import type { ModelPrice, ModelProvider, ModelsConfig } from '../schema/model.ts';
import type { Json } from '../schema/json.ts';
import type { Redact } from '../schema/ports.ts';
import { baseUrlOf } from './base-url.ts';
import type { ModelEnvironment } from './model-environment.ts';
import { type ModelNames, type NamedModel, nameOf, parseModelName, parseModelNames } from './model-name.ts';
import { priceOf } from './prices.ts';

export type KeyName = 'OPENAI_API_KEY' | 'ANTHROPIC_API_KEY' | 'OKA_MODEL_KEY';

export type ModelsSettings = {
  environment: ModelEnvironment;
  /** The part `models` of config.json. */
  config: ModelsConfig;
  /** Returns a secret by its name, for this host alone; overrides the environment. If it throws, the turn fails. */
  vault?: (name: KeyName, host: string) => Promise<string | null>;
  /** The folder that relative paths of scripts refer to. */
  folder: string;
  /** The folder of recorded traffic. */
  cassettes: string;
  redact: Redact;
};

/** Everything that is needed to call one model. */
export type Called = NamedModel & {
  baseUrl: string;
  key: () => Promise<string | null>;
  /** Name of the secret or variable with its key; null if it needs none. */
  keyName: KeyName | null;
  temperature: number | null;
  topP: number | null;
  maxTokens: number;
  timeoutMs: number;
  price: ModelPrice | null;
  extra: Readonly<Record<string, Json>>;
};

const MAX_TOKENS = 4096;
const TIMEOUT_SECONDS = 240;

const KEYS: Readonly<Record<ModelProvider, KeyName | null>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  custom: 'OKA_MODEL_KEY',
  ollama: null,
  scripted: null,
};

/** Throws for an invalid name. */
export function namesIn({ environment, config }: Pick<ModelsSettings, 'environment' | 'config'>): ModelNames {
  const names: ModelNames = {};
  if (config.use !== undefined) names.default = parseModelName(config.use, 'models.use in config.json');
  for (const role of ['planner', 'executor', 'critic'] as const) {
    const name = config.roles[role];
    if (name !== undefined) names[role] = parseModelName(name, `models.roles.${role} in config.json`);
  }
  return { ...names, ...parseModelNames(environment.OKA_MODEL ?? '') };
}

export function resolveModel(name: NamedModel, settings: ModelsSettings): Called {
  const { config, environment } = settings;
  const own = config.settings[nameOf(name)] ?? {};
  const keyName = KEYS[name.provider];
  const baseUrl = baseUrlOf(name.provider, own.base_url, environment);
  return {
    ...name,
    baseUrl,
    keyName,
    key: () => (keyName === null ? Promise.resolve(null) : keyFrom(settings, keyName, new URL(baseUrl).host)),
    temperature: own.temperature ?? config.temperature ?? null,
    topP: own.top_p ?? config.top_p ?? null,
    maxTokens: own.max_tokens ?? config.max_tokens ?? MAX_TOKENS,
    timeoutMs: (own.timeout_seconds ?? config.timeout_seconds ?? TIMEOUT_SECONDS) * 1000,
    price: own.price ?? priceOf(name),
    extra: own.extra ?? {},
  };
}

async function keyFrom({ vault, environment }: ModelsSettings, name: KeyName, host: string): Promise<string | null> {
  const value = (await vault?.(name, host)) ?? environment[name] ?? '';
  return value.trim() === '' ? null : value.trim();
}
