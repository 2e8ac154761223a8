/** Owns: which model speaks for whom. The same name gives the same model, however often it is asked for. */
import { resolve } from 'node:path';
import { OkaError } from '../schema/errors.ts';
import type { ModelRole } from '../schema/model.ts';
import type { Clock, Model } from '../schema/ports.ts';
import { recording, replaying } from './cassette.ts';
import { type NamedModel, nameOf, parseModelName } from './name.ts';
import { isCassetteMode } from './problems.ts';
import { providerModel } from './provider.ts';
import { scriptedFromFile } from './scripted.ts';
import type { Fetch } from './sdk.ts';
import { type Called, calledFor, type ModelsSettings, namesIn } from './settings.ts';
import { carefulFetch } from './transport.ts';

export type Models = {
  /** Null when no model is named for this role. Throws for a name or a setting that cannot be. */
  for(role: ModelRole, override?: string): Model | null;
  /** How that model is called; null as above. */
  called(role: ModelRole, override?: string): Called | null;
};

export function modelsFrom(settings: ModelsSettings, ports: { fetch?: Fetch; clock?: Clock } = {}): Models {
  const mode = settings.environment.OKA_CASSETTE ?? '';
  const fetch = cassetteFetch(mode, carefulFetch(ports.fetch), settings);
  const names = namesIn(settings);
  const made = new Map<string, Model>();
  const nameFor = (role: ModelRole, override?: string): NamedModel | null =>
    override === undefined ? (names[role] ?? names.default ?? null) : parseModelName(override, 'model');
  const make = (name: NamedModel): Model =>
    name.provider === 'scripted'
      ? scriptedFromFile(resolve(settings.folder, name.model), nameOf(name))
      : providerModel(calledFor(name, settings), {
          fetch,
          clock: ports.clock ?? Date.now,
          replayed: mode === 'replay',
        });
  return {
    for: (role, override) => {
      const name = nameFor(role, override);
      if (name === null) return null;
      const model = made.get(nameOf(name)) ?? make(name);
      made.set(nameOf(name), model);
      return model;
    },
    called: (role, override) => {
      const name = nameFor(role, override);
      return name === null ? null : calledFor(name, settings);
    },
  };
}

function cassetteFetch(mode: string, fetch: Fetch, { cassettes: folder, redact }: ModelsSettings): Fetch {
  if (!isCassetteMode(mode))
    throw new OkaError('usage', `OKA_CASSETTE=${mode} is not known`, { fix: 'Set it to record or replay.' });
  if (mode === 'record') return recording(fetch, { folder, redact });
  return mode === 'replay' ? replaying({ folder, redact }) : fetch;
}
