/** Models over a real wire server, and requests to them. */
import { join } from 'node:path';
import { redactShapes } from '../../../src/core/guard/redact.ts';
import { ModelError } from '../../../src/kit/models/model-errors.ts';
import { modelsFrom } from '../../../src/kit/models/role-models.ts';
import type { ModelEnvironment } from '../../../src/kit/models/model-environment.ts';
import { builtInProviders } from '../../../src/kit/models/built-in-providers.ts';
import type { ModelsSettings } from '../../../src/kit/models/model-settings.ts';
import { ModelsConfig } from '../../../src/core/schema/model.ts';
import type { Model, ModelAnswer, ModelRequest, ModelTool } from '../../../src/core/schema/ports.ts';
import { testFolder } from '../../support/test-folders.ts';

export const folder = (): string => testFolder('oka-models-');

export type Given = {
  environment?: ModelEnvironment;
  config?: unknown;
  vault?: Partial<Record<string, string>>;
  folder?: string;
};

export function settings({ environment = {}, config = {}, vault, folder: at = folder() }: Given = {}): ModelsSettings {
  return {
    providers: builtInProviders,
    environment,
    config: ModelsConfig.parse(config),
    ...(vault === undefined ? {} : { vault: (name) => Promise.resolve(vault[name] ?? null) }),
    folder: at,
    cassettes: join(at, 'cassettes'),
    redact: redactShapes,
  };
}

export const PROVIDERS = ['openai', 'anthropic', 'ollama', 'custom'] as const;

/** Every provider at one server, with keys that no real one has. */
export function environmentAt(url: string): ModelEnvironment {
  return {
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'openai-key-of-a-test',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'anthropic-key-of-a-test',
    OLLAMA_HOST: url,
    OKA_MODEL_URL: `${url}/v1`,
    OKA_MODEL_KEY: 'custom-key-of-a-test',
  };
}

export function modelAt(url: string, name: string, given: Given = {}): Model {
  const environment = { ...environmentAt(url), ...given.environment, OKA_MODEL: name };
  const model = modelsFrom(settings({ ...given, environment })).for('executor');
  if (model === null) throw new Error(`no model for ${name}`);
  return model;
}

export const readTool: ModelTool = {
  name: 'files.read',
  about: 'Reads a file.',
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false },
};

export const finishTool: ModelTool = { name: 'Finish', about: 'Ends the work.', input: { type: 'object' } };

export function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    role: 'executor',
    system: 'You act.',
    messages: [{ role: 'user', text }],
    tools: [],
    maxTokens: null,
    ...more,
  };
}

export const WAYS = ['whole', 'streamed'] as const;
export type Way = (typeof WAYS)[number];

const never = new AbortController().signal;

export function turn(model: Model, way: Way, request: ModelRequest, signal = never): Promise<ModelAnswer> {
  return way === 'whole' ? model.complete(request, signal) : model.stream(request, signal, () => undefined);
}

/** What a turn failed with; it must be a ModelError. */
export async function failureOf(answer: Promise<unknown>): Promise<ModelError> {
  const outcome = await answer.then(
    (value) => new Error(`it answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof ModelError) return outcome;
  throw outcome;
}
