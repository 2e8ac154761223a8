/** What setting up a model in a dialog needs to know and to store. Nothing here asks a person anything. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../core/ledger/disk.ts';
import { isLoopback } from '../../kit/models/base-url.ts';
import { listModels } from '../../kit/models/list-models.ts';
import { resolveModel } from '../../kit/models/model-settings.ts';
import { guardedFetch } from '../../kit/models/transport.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ModelListing, ProviderDefinition, ProviderSetup } from '../../core/schema/model-provider.ts';
import { openHomeVault } from '../../kit/vault/home-vault.ts';
import { loadRoomsConfig } from '../../kit/house/room-config.ts';
import { modelProviders } from '../../kit/house/room-contributions.ts';
import type { HouseRoom } from '../../kit/house/house.ts';
import { egressProxy, isInContainer, modelEnvironment, wantsNoSetup } from '../../kit/settings.ts';
import { hasPlanner } from '../../kit/models/configured-models.ts';
import { modelSettings } from '../../kit/models/home-models.ts';

export type OfferedProvider = ProviderDefinition & { readonly setup: ProviderSetup };

export async function offeredProviders(rooms?: readonly HouseRoom[]): Promise<OfferedProvider[]> {
  return (await modelProviders(rooms)).filter((each): each is OfferedProvider => each.setup !== undefined);
}

/** Whether a start should offer the set-up: no model is set, nobody has put it off, and this process can reach models. */
export async function isSetupDue(home: Home, rooms?: readonly HouseRoom[]): Promise<boolean> {
  if (wantsNoSetup() || isInContainer() || egressProxy() !== null || existsSync(laterFile(home))) return false;
  return hasPlanner(home, rooms).then(
    (isSet) => !isSet,
    () => false, // the worker reports settings that cannot be read
  );
}

/** Whether a person has put the set-up off. */
export const isSetupPutOff = (home: Home): boolean => existsSync(laterFile(home));

/** From now on no start offers the set-up; `oka model setup` still runs it. */
export function putOffSetup(home: Home): void {
  mkdirSync(dirname(laterFile(home)), { recursive: true, mode: 0o700 });
  replaceFile(laterFile(home), 'oka up no longer offers to set up a model; oka model setup does it.\n');
}

const laterFile = ({ oka }: Home): string => join(oka, 'state', 'model-setup-later');

/** A server as it would be called. `hasKey`: the vault or the environment has a key for it. */
export type ModelServer = {
  baseUrl: string;
  host: string;
  needsKey: boolean;
  hasKey: boolean;
  /** Whether a key would be readable for everybody on the way. */
  isUnencrypted: boolean;
};

/** Throws for an address that cannot be one. */
export async function describeServer(
  home: Home,
  provider: OfferedProvider,
  url: string | undefined,
  rooms?: readonly HouseRoom[],
): Promise<ModelServer> {
  const baseUrl = provider.baseUrl(url, modelEnvironment([provider]));
  return {
    baseUrl,
    host: new URL(baseUrl).host,
    needsKey: provider.needsKey(baseUrl),
    hasKey: (await storedKey(home, provider, url, rooms)) !== null,
    isUnencrypted: !baseUrl.startsWith('https:') && !isLoopback(baseUrl),
  };
}

/** The address that the provider has without a setting; null if it has none. */
export function usualAddress(provider: OfferedProvider): string | null {
  try {
    return provider.baseUrl(undefined, modelEnvironment([provider]));
  } catch {
    return null;
  }
}

/** The models at this address, those with a known price first: they are the ones that converse. */
export async function listServerModels(
  home: Home,
  provider: OfferedProvider,
  {
    url,
    key,
    signal,
    rooms,
  }: { url?: string | undefined; key: string | null; signal: AbortSignal; rooms?: readonly HouseRoom[] | undefined },
): Promise<ModelListing> {
  const baseUrl = provider.baseUrl(url, modelEnvironment([provider]));
  const sent = key ?? (await storedKey(home, provider, url, rooms));
  const listing = await listModels(provider, { baseUrl }, { key: sent, fetch: guardedFetch(), signal });
  if (listing.state !== 'listed') return listing;
  const isKnown = (model: string): boolean => provider.priceOf(model) !== null;
  const sorted = listing.models.toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a)) || (a < b ? -1 : 1));
  return { state: 'listed', models: sorted };
}

/** Null also when the vault does not give it to this host. */
async function storedKey(
  home: Home,
  provider: OfferedProvider,
  url: string | undefined,
  rooms?: readonly HouseRoom[],
): Promise<string | null> {
  if (provider.keyName === null) return null;
  const config = await loadRoomsConfig(home, rooms);
  const settings = modelSettings(
    home,
    config,
    await modelProviders(rooms),
    await openHomeVault(home, config.credentials),
  );
  const name = { provider: provider.name, model: 'any' };
  const own = {
    ...settings,
    config: {
      ...settings.config,
      settings: { [`${name.provider}:${name.model}`]: url === undefined ? {} : { base_url: url } },
    },
  };
  return resolveModel(name, own)
    .key()
    .catch(() => null); // a key that cannot be read is asked for
}
