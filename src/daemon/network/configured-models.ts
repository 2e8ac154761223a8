/** What is set about models, for commands: whether there is one, which secret is a key of one, and for which hosts. */
import { namesIn } from '../../models/model-settings.ts';
import { parseModelName } from '../../models/model-name.ts';
import type { Home } from '../../schema/home.ts';
import type { ProviderDefinition } from '../../schema/model-provider.ts';
import { loadRoomsConfig } from '../room-config.ts';
import { modelProviders } from '../room-contributions.ts';
import type { DaemonRoom } from '../rooms.ts';
import { modelEnvironment } from '../settings.ts';

/** Whether a model is set that can plan a task; it is not called. */
export async function hasPlanner(home: Home, rooms?: readonly DaemonRoom[]): Promise<boolean> {
  const providers = await modelProviders(rooms);
  const { models: config } = await loadRoomsConfig(home, rooms);
  const names = namesIn({ environment: modelEnvironment(providers), config, providers });
  return (names.planner ?? names.default) !== undefined;
}

/** Null when no provider has a key of this name; no host when the address of its models is set nowhere. */
export async function modelKeyHosts(
  home: Home,
  keyName: string,
  rooms?: readonly DaemonRoom[],
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
