/** Owns: checking the settings of models before the first call. */
import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, OkaError } from '../schema/errors.ts';
import { isLoopback } from './base-url.ts';
import { type NamedModel, nameOf } from './model-name.ts';
import { type Called, resolveModel, type ModelsSettings, namesIn } from './model-settings.ts';

/** `model` is null if the problem concerns all of them. */
export type SettingProblem = { model: string | null; message: string; fix: string };

/** Empty if every named model can be called, or none is named. Calls nothing. */
export async function findSettingProblems(settings: ModelsSettings): Promise<SettingProblem[]> {
  const mode = settings.environment.OKA_CASSETTE;
  const found = isCassetteMode(mode)
    ? []
    : [
        settingProblem(
          null,
          `OKA_CASSETTE=${mode} is not a known mode`,
          'Set it to record or replay, or leave it out.',
        ),
      ];
  try {
    const names = [...new Map(Object.values(namesIn(settings)).map((name) => [nameOf(name), name])).values()];
    const each = await Promise.all(names.map((name) => problemsWith(name, settings)));
    return [...found, ...each.flat()];
  } catch (error) {
    return [...found, problemFromError(null, error)];
  }
}

export function isCassetteMode(mode: string | undefined): boolean {
  return mode === undefined || mode === '' || mode === 'record' || mode === 'replay';
}

async function problemsWith(name: NamedModel, settings: ModelsSettings): Promise<SettingProblem[]> {
  try {
    const called = resolveModel(name, settings);
    if (name.provider === 'scripted') return scriptProblems(name, settings);
    return settings.environment.OKA_CASSETTE === 'replay' ? [] : await keyProblems(called);
  } catch (error) {
    return [problemFromError(nameOf(name), error)];
  }
}

async function keyProblems(called: Called): Promise<SettingProblem[]> {
  const key = await called.key();
  const id = nameOf(called);
  if (key === null && needsKey(called)) {
    const fix = `Run: oka secrets set ${called.keyName}, or set ${called.keyName} in the environment.`;
    return [settingProblem(id, `there is no key for ${id}`, fix)];
  }
  if (key === null || isLoopback(called.baseUrl) || called.baseUrl.startsWith('https:')) return [];
  return [
    settingProblem(
      id,
      `the key for ${id} would be sent unencrypted over the network`,
      `Use https in ${called.baseUrl}.`,
    ),
  ];
}

/** A self-hosted server that is compatible with OpenAI may need no key. */
export function needsKey({ provider, baseUrl }: Pick<Called, 'provider' | 'baseUrl'>): boolean {
  return provider === 'anthropic' || (provider === 'openai' && new URL(baseUrl).hostname === 'api.openai.com');
}

function scriptProblems(name: NamedModel, { folder }: ModelsSettings): SettingProblem[] {
  const file = resolve(folder, name.model);
  return lstatSync(file, { throwIfNoEntry: false })?.isFile()
    ? []
    : [settingProblem(nameOf(name), `${file} is not a file`, 'Write a script there, or name another model.')];
}

function problemFromError(model: string | null, error: unknown): SettingProblem {
  return settingProblem(
    model,
    messageOf(error),
    (error instanceof OkaError ? error.fix : undefined) ?? 'Check OKA_MODEL.',
  );
}

function settingProblem(model: string | null, message: string, fix: string): SettingProblem {
  return { model, message, fix };
}
