/**
 * Owns: .oka/rules/config.json with the parts that rooms contribute.
 * Whoever owns the pen, `oka doctor` and `oka schema` know all parts, so that a key that nobody reads is an error there.
 * Whoever needs only the settings of the product reads those (loadConfig in settings.ts).
 */
import { readFileSync } from 'node:fs';
import { lstatIfPresent, replaceFile } from '../../core/ledger/disk.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Home } from '../../core/schema/home.ts';
import { type BoundPort, bindPort } from './open-rooms.ts';
import { configPort, type Schemas } from '../../core/schema/room.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { type HouseRoom, roomsOf } from './house.ts';
import { parseConfig } from '../settings.ts';

/** The settings of the product, and those of rooms by key. */
type RoomsConfig = Config & Readonly<Record<string, unknown>>;

export async function loadRoomsConfig(home: Home, list?: readonly HouseRoom[]): Promise<RoomsConfig> {
  const schema = await configSchema(list);
  return (await parseConfig(home, schema)) as RoomsConfig;
}

export async function configSchema(given?: readonly HouseRoom[]): Promise<Schemas[string]> {
  const list = await roomsOf(given);
  const { Config: base } = await import('../../core/schema/config.ts');
  const parts: Record<string, Schemas[string]> = {};
  for (const room of list)
    for (const [key, schema] of Object.entries((await room.config?.()) ?? {})) {
      if (key in base.shape || key in parts)
        throw new OkaError('refused', `the room ${room.name} contributes settings that there are already: "${key}"`);
      parts[key] = schema.prefault({});
    }
  return Object.keys(parts).length === 0 ? base : base.extend(parts).describe(base.description ?? '');
}

/** Changes config.json as a person wants it. A file that is not valid, or would not be, is not touched. */
export async function changeConfig(
  home: Home,
  change: (config: Readonly<Record<string, unknown>>) => object,
  rooms?: readonly HouseRoom[],
): Promise<void> {
  await loadRoomsConfig(home, rooms);
  const found = lstatIfPresent(home.config) === undefined ? '{}' : readFileSync(home.config, 'utf8');
  const text = `${JSON.stringify(change(JSON.parse(found) as Record<string, unknown>), null, 2)}\n`;
  (await configSchema(rooms)).parse(JSON.parse(text));
  replaceFile(home.config, text, { durable: true, mode: 0o600 });
}

/** The checked value of each part, for the room that contributes it. */
export async function configPorts(config: Config, given?: readonly HouseRoom[]): Promise<BoundPort[]> {
  const list = await roomsOf(given);
  const keys = await Promise.all(list.map(async (room) => Object.keys((await room.config?.()) ?? {})));
  return keys.flat().map((key) => bindPort(configPort(key), (config as RoomsConfig)[key]));
}
