/** Owns: examining everything oka depends on, room by room, with a fix for what is wrong. Changes nothing. */
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { loadRoomsConfig } from './room-config.ts';
import { modelProviders } from './room-contributions.ts';
import { type HouseRoom, roomsOf } from './house.ts';

export async function findingsOf(
  home: Home,
  given?: readonly HouseRoom[],
  { isDeep = false, mayOpenVault = true } = {},
): Promise<Finding[]> {
  const list = await roomsOf(given);
  const found: Finding[] = [];
  const examination = {
    loadConfig: () => loadRoomsConfig(home, list),
    loadProviders: () => modelProviders(list),
    isDeep,
    mayOpenVault,
  };
  for (const { findings } of list) found.push(...((await findings?.(home, examination)) ?? []));
  return found;
}
