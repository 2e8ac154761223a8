/**
 * Asks a model of a home one short question, outside of any run. The call is not in the ledger: it has to work while
 * another process owns the pen, and before there is a home at all; so the trial itself says what it cost.
 */
import type { ModelErrorKind } from '../../kit/models/error-kind.ts';
import { ModelError } from '../../kit/models/model-errors.ts';
import { nameOf, parseModelName } from '../../kit/models/model-name.ts';
import { namesIn } from '../../kit/models/model-settings.ts';
import { modelsFrom } from '../../kit/models/role-models.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Usage } from '../../core/schema/effect.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ModelRequest } from '../../core/schema/ports.ts';
import { openHomeVault } from '../../kit/vault/home-vault.ts';
import { loadRoomsConfig } from '../../kit/house/room-config.ts';
import { modelProviders } from '../../kit/house/room-contributions.ts';
import type { HouseRoom } from '../../kit/house/house.ts';
import { egressProxy } from '../../kit/settings.ts';
import type { EgressRoutes } from '../../kit/egress/egress-routes.ts';
import { modelSettings } from '../../kit/models/home-models.ts';

/** `usage` is what the provider says was spent, also on an answer that could not be used. */
export type ModelTrial = { model: string; address: string; ms: number; usage?: Usage } & (
  | { answered: true; text: string }
  | { answered: false; kind: ModelErrorKind | null; problem: string; fix: string | null }
);

type TrialRequest = {
  /** provider:model; the one that is set when left out. */
  name?: string | undefined;
  /** The address of its server, if it is not the one in config.json. */
  url?: string | undefined;
  /** A key that is not stored yet; it is used instead of the one in the vault or the environment. */
  key?: string | undefined;
  signal: AbortSignal;
  rooms?: readonly HouseRoom[] | undefined;
  /** How models are reached, for the process that has the egress proxy; left out: as Node itself does it. */
  route?: EgressRoutes['models'] | undefined;
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
export async function tryModel(home: Home, request: TrialRequest): Promise<ModelTrial> {
  const { name, url, key, signal, rooms, route } = request;
  if (route === undefined) assertModelsReachable();
  const providers = await modelProviders(rooms);
  const config = await loadRoomsConfig(home, rooms);
  const stored = modelSettings(
    home,
    withAddress(config, name, url),
    providers,
    await openHomeVault(home, config.credentials),
  );
  const settings = key === undefined ? stored : { ...stored, vault: () => Promise.resolve(key) };
  const named =
    name === undefined
      ? (namesIn(settings).default ?? namesIn(settings).planner)
      : parseModelName(
          name,
          providers.map((each) => each.name),
          'model',
        );
  if (named === undefined)
    throw new OkaError('usage', 'no model is set', {
      fix: 'Choose one: oka model setup, or: oka model use provider:model',
    });
  const models = modelsFrom(settings, route);
  const id = nameOf(named);
  const address = models.called('planner', id)?.baseUrl ?? '';
  const startedAt = performance.now();
  const passed = (): number => Math.round(performance.now() - startedAt);
  try {
    const answer = await models.for('planner', id)?.complete(QUESTION, signal);
    const text = (answer?.text ?? '').trim().slice(0, MOST_ANSWER);
    return { model: id, address, ms: passed(), ...usageField(answer?.usage), answered: true, text };
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    const failure = error instanceof ModelError ? error : null;
    const why = { kind: failure?.problem.kind ?? null, problem: error.message, fix: error.fix ?? null };
    return { model: id, address, ms: passed(), ...usageField(failure?.usage), answered: false, ...why };
  }
}

/** In containers only the worker's proxy has a network. */
export function assertModelsReachable(): void {
  if (egressProxy() === null) return;
  throw new OkaError('refused', 'in this setup only the worker reaches models, through its proxy', {
    fix: 'Give it a small task instead: oka add "Write hello into hello.txt"',
  });
}

const usageField = (usage: Usage | undefined): { usage?: Usage } => (usage === undefined ? {} : { usage });

/** The settings as they would be with this address. */
function withAddress(config: Config, name: string | undefined, url: string | undefined): Config {
  if (name === undefined || url === undefined) return config;
  const settings = { ...config.models.settings, [name]: { ...config.models.settings[name], base_url: url } };
  return { ...config, models: { ...config.models, settings } };
}
