/** What is missing or wrong before the first call is made. */
import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, OkaError } from '../schema/errors.ts';
import { isLoopback } from './address.ts';
import { type NamedModel, nameOf } from './name.ts';
import { type Called, calledFor, type ModelsSettings, namesIn } from './settings.ts';

/** `model` is null when it is about all of them. */
export type SettingProblem = { model: string | null; message: string; fix: string };

/** Empty when every model that is named can be called, and when none is named. Nothing is called. */
export async function problemsOf(settings: ModelsSettings): Promise<SettingProblem[]> {
  const mode = settings.environment.OKA_CASSETTE;
  const found = isCassetteMode(mode)
    ? []
    : [said(null, `OKA_CASSETTE=${mode} is not known`, 'Set it to record or replay, or leave it out.')];
  try {
    const names = [...new Map(Object.values(namesIn(settings)).map((name) => [nameOf(name), name])).values()];
    const each = await Promise.all(names.map((name) => problemsWith(name, settings)));
    return [...found, ...each.flat()];
  } catch (error) {
    return [...found, told(null, error)];
  }
}

export function isCassetteMode(mode: string | undefined): boolean {
  return mode === undefined || mode === '' || mode === 'record' || mode === 'replay';
}

async function problemsWith(name: NamedModel, settings: ModelsSettings): Promise<SettingProblem[]> {
  try {
    const called = calledFor(name, settings);
    if (name.provider === 'scripted') return scriptProblems(name, settings);
    return settings.environment.OKA_CASSETTE === 'replay' ? [] : await keyProblems(called);
  } catch (error) {
    return [told(nameOf(name), error)];
  }
}

async function keyProblems(called: Called): Promise<SettingProblem[]> {
  const key = await called.key();
  const id = nameOf(called);
  if (key === null && needsKey(called)) {
    const fix = `Run: oka secrets set ${called.keyName}, or set ${called.keyName} in the environment.`;
    return [said(id, `there is no key for ${id}`, fix)];
  }
  if (key === null || isLoopback(called.baseUrl) || called.baseUrl.startsWith('https:')) return [];
  return [said(id, `the key for ${id} would go over the network in the clear`, `Use https in ${called.baseUrl}.`)];
}

/** A server of one's own that speaks like OpenAI may do without. */
export function needsKey({ provider, baseUrl }: Pick<Called, 'provider' | 'baseUrl'>): boolean {
  return provider === 'anthropic' || (provider === 'openai' && new URL(baseUrl).hostname === 'api.openai.com');
}

function scriptProblems(name: NamedModel, { folder }: ModelsSettings): SettingProblem[] {
  const file = resolve(folder, name.model);
  return lstatSync(file, { throwIfNoEntry: false })?.isFile()
    ? []
    : [said(nameOf(name), `${file} is not a file`, 'Write a script there, or name another model.')];
}

function told(model: string | null, error: unknown): SettingProblem {
  return said(model, messageOf(error), (error instanceof OkaError ? error.fix : undefined) ?? 'Check OKA_MODEL.');
}

function said(model: string | null, message: string, fix: string): SettingProblem {
  return { model, message, fix };
}
