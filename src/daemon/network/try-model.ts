/** Asks a model of a home one short question, outside of any run; nothing is recorded but the provider's own bill. */
import { nameOf, parseModelName } from '../../models/model-name.ts';
import { namesIn } from '../../models/model-settings.ts';
import { modelsFrom } from '../../models/role-models.ts';
import type { Config } from '../../schema/config.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Home } from '../../schema/home.ts';
import type { ModelRequest } from '../../schema/ports.ts';
import { openHomeVault } from '../guard/home-vault.ts';
import { loadRoomsConfig } from '../room-config.ts';
import { modelProviders } from '../room-contributions.ts';
import type { DaemonRoom } from '../rooms.ts';
import { egressProxy } from '../settings.ts';
import { modelSettings } from './home-models.ts';

export type ModelTrial = { model: string; address: string; ms: number } & (
  | { answered: true; text: string }
  | { answered: false; problem: string; fix: string | null }
);

export type TrialRequest = {
  /** provider:model; the one that is set when left out. */
  name?: string | undefined;
  /** The address of its server, if it is not the one in config.json. */
  url?: string | undefined;
  signal: AbortSignal;
  rooms?: readonly DaemonRoom[] | undefined;
};

const MOST_ANSWER = 200;

const QUESTION: ModelRequest = {
  role: 'planner',
  system: 'You are being tested. Answer with one word.',
  messages: [{ role: 'user', text: 'Answer with the word: ready' }],
  tools: [],
  maxTokens: null,
};

/** A model that cannot be asked or does not answer is an outcome; one that is not named or set is refused. */
export async function tryModel(home: Home, { name, url, signal, rooms }: TrialRequest): Promise<ModelTrial> {
  if (egressProxy() !== null)
    throw new OkaError('refused', 'in this setup only the worker reaches models, through its proxy', {
      fix: 'Give it a small task instead: oka add "Write hello into hello.txt"',
    });
  const providers = await modelProviders(rooms);
  const config = await loadRoomsConfig(home, rooms);
  const vault = await openHomeVault(home);
  const settings = modelSettings(home, withAddress(config, name, url), providers, vault);
  const named =
    name === undefined
      ? (namesIn(settings).default ?? namesIn(settings).planner)
      : parseModelName(
          name,
          providers.map((each) => each.name),
          'model',
        );
  if (named === undefined)
    throw new OkaError('usage', 'no model is set', { fix: 'Name one: oka model use provider:model' });
  const models = modelsFrom(settings);
  const id = nameOf(named);
  const address = models.called('planner', id)?.baseUrl ?? '';
  const startedAt = performance.now();
  const passed = (): number => Math.round(performance.now() - startedAt);
  try {
    const answer = await models.for('planner', id)?.complete(QUESTION, signal);
    return {
      model: id,
      address,
      ms: passed(),
      answered: true,
      text: (answer?.text ?? '').trim().slice(0, MOST_ANSWER),
    };
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    return { model: id, address, ms: passed(), answered: false, problem: error.message, fix: error.fix ?? null };
  }
}

/** The settings as they would be with this address. */
function withAddress(config: Config, name: string | undefined, url: string | undefined): Config {
  if (name === undefined || url === undefined) return config;
  const settings = { ...config.models.settings, [name]: { ...config.models.settings[name], base_url: url } };
  return { ...config, models: { ...config.models, settings } };
}
