/** What is set about models, for commands: whether there is one, which secret is a key of one, and for which hosts. */
import { nameOf, parseModelName } from './model-name.ts';
import { namesIn, resolveModel } from './model-settings.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Called, ProviderDefinition } from '../../core/schema/model-provider.ts';
import { openHomeVault } from '../vault/home-vault.ts';
import { changeConfig, loadRoomsConfig } from '../house/room-config.ts';
import { modelProviders } from '../house/room-contributions.ts';
import type { HouseRoom } from '../house/house.ts';
import { modelEnvironment } from '../settings.ts';
import { modelSettings } from './home-models.ts';

/** Whether a model is set that can plan a task; it is not called. */
export async function hasPlanner(home: Home, rooms?: readonly HouseRoom[]): Promise<boolean> {
  const providers = await modelProviders(rooms);
  const { models: config } = await loadRoomsConfig(home, rooms);
  const names = namesIn({ environment: modelEnvironment(providers), config, providers });
  return (names.planner ?? names.default) !== undefined;
}

type SetModel = { role: string; model: string; address: string; key: string | null };

/** The models that are set, by role; `key` names the secret or variable, and whether it is there. */
export async function describeSetModels(home: Home, rooms?: readonly HouseRoom[]): Promise<SetModel[]> {
  const providers = await modelProviders(rooms);
  const config = await loadRoomsConfig(home, rooms);
  const settings = modelSettings(home, config, providers, await openHomeVault(home, config.credentials));
  const named = Object.entries(namesIn(settings));
  return Promise.all(
    named.map(async ([role, name]) => {
      const called = resolveModel(name, settings);
      const key = called.keyName === null ? null : await keyState(called);
      return { role, model: nameOf(name), address: called.baseUrl, key };
    }),
  );
}

async function keyState({ keyName, key, needsKey }: Called): Promise<string> {
  const found = await key().catch((error: unknown) => error);
  if (found instanceof Error) return `${keyName}, ${found.message}`;
  return `${keyName}, ${found !== null ? 'set' : needsKey ? 'missing' : 'not set and not needed'}`;
}

/** Sets the model that serves every role without one of its own; everything else in config.json stays. */
export async function useModel(
  home: Home,
  name: string,
  url: string | undefined,
  rooms?: readonly HouseRoom[],
): Promise<void> {
  const known = (await modelProviders(rooms)).map((each) => each.name);
  const id = nameOf(parseModelName(name, known, 'model'));
  const change = (config: { models?: { settings?: Record<string, object> } }): object => {
    const models = { ...config.models, use: id };
    if (url !== undefined) models.settings = { ...models.settings, [id]: { ...models.settings?.[id], base_url: url } };
    return { ...config, models };
  };
  await changeConfig(home, change, rooms);
}

/** Null when no provider has a key of this name; no host when the address of its models is set nowhere. */
export async function modelKeyHosts(
  home: Home,
  keyName: string,
  rooms?: readonly HouseRoom[],
): Promise<string[] | null> {
  const all = await modelProviders(rooms);
  const providers = all.filter((each) => each.keyName === keyName);
  if (providers.length === 0) return null;
  const { models: config } = await loadRoomsConfig(home, rooms);
  const environment = modelEnvironment(all);
  const known = all.map(({ name }) => name);
  const named = [
    ...Object.values(namesIn({ environment, config, providers: all })),
    ...Object.keys(config.settings).map((name) => parseModelName(name, known, 'models.settings')),
  ];
  const hosts = providers.flatMap((provider) => {
    const own = named
      .filter((each) => each.provider === provider.name)
      .map((each) => config.settings[`${each.provider}:${each.model}`]?.base_url);
    const addresses = own.length === 0 ? [undefined] : own;
    return addresses.flatMap((configured) => hostAt(provider, configured, environment));
  });
  return [...new Set(hosts)];
}

function hostAt(
  provider: ProviderDefinition,
  configured: string | undefined,
  environment: ReturnType<typeof modelEnvironment>,
): string[] {
  try {
    return [new URL(provider.baseUrl(configured, environment)).host];
  } catch {
    return []; // no address is set, or one that is none: oka doctor reports it
  }
}
