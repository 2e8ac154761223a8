/** Owns: checking the settings of models before the first call. */
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { isLoopback } from './base-url.ts';
import type { Called, NamedModel } from '../../core/schema/model-provider.ts';
import { nameOf } from './model-name.ts';
import { providerOf, resolveModel, type ModelsSettings, namesIn } from './model-settings.ts';

/** `model` is null if the problem concerns all of them. */
type SettingProblem = { model: string | null; message: string; fix: string };

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
    const own = providerOf(name, settings).problems?.(called, settings) ?? [];
    const keys = settings.environment.OKA_CASSETTE === 'replay' ? [] : await keyProblems(called);
    return [...own.map(({ message, fix }) => settingProblem(nameOf(name), message, fix)), ...keys];
  } catch (error) {
    return [problemFromError(nameOf(name), error)];
  }
}

async function keyProblems(called: Called): Promise<SettingProblem[]> {
  const key = await called.key();
  const id = nameOf(called);
  if (key === null && called.needsKey) {
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
