/** Owns: which model serves which role. The same name always gives the same model. */
import { OkaError } from '../../core/schema/errors.ts';
import type { ModelRole } from '../../core/schema/model.ts';
import type { Called, Fetch, NamedModel } from '../../core/schema/model-provider.ts';
import type { Clock, Model } from '../../core/schema/ports.ts';
import { recordingFetch, replayingFetch } from './cassette.ts';
import { nameOf, parseModelName } from './model-name.ts';
import { isCassetteMode } from './setting-problems.ts';
import { providerOf, resolveModel, type ModelsSettings, namesIn } from './model-settings.ts';
import { guardedFetch } from './transport.ts';

export type Models = {
  /** Null if no model is set for this role. Throws for an invalid name or setting. */
  for(role: ModelRole, override?: string): Model | null;
  /** The resolved settings of that model; null as above. */
  called(role: ModelRole, override?: string): Called | null;
  /** Whether traffic is recorded or replayed: then every request is made in the same form, whoever watches. */
  isRecorded?: boolean;
};

export function modelsFrom(settings: ModelsSettings, ports: { fetch?: Fetch; clock?: Clock } = {}): Models {
  const mode = settings.environment.OKA_CASSETTE ?? '';
  const fetch = cassetteFetch(mode, guardedFetch(ports.fetch), settings);
  const names = namesIn(settings);
  const known = settings.providers.map(({ name }) => name);
  const made = new Map<string, Model>();
  const nameFor = (role: ModelRole, override?: string): NamedModel | null =>
    override === undefined ? (names[role] ?? names.default ?? null) : parseModelName(override, known, 'model');
  const make = (name: NamedModel): Model =>
    providerOf(name, settings).open(resolveModel(name, settings), {
      fetch,
      clock: ports.clock ?? (() => performance.now()),
      replayed: mode === 'replay',
      folder: settings.folder,
    });
  return {
    isRecorded: mode !== '',
    for: (role, override) => {
      const name = nameFor(role, override);
      if (name === null) return null;
      const model = made.get(nameOf(name)) ?? make(name);
      made.set(nameOf(name), model);
      return model;
    },
    called: (role, override) => {
      const name = nameFor(role, override);
      return name === null ? null : resolveModel(name, settings);
    },
  };
}

function cassetteFetch(mode: string, fetch: Fetch, { cassettes: folder, redact }: ModelsSettings): Fetch {
  if (!isCassetteMode(mode))
    throw new OkaError('usage', `OKA_CASSETTE=${mode} is not a known mode`, { fix: 'Set it to record or replay.' });
  if (mode === 'record') return recordingFetch(fetch, { folder, redact });
  return mode === 'replay' ? replayingFetch({ folder, redact }) : fetch;
}
