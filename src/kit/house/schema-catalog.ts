/** Every concept that has a schema, with what rooms contribute, for `oka schema`. */
import { catalog } from '../../core/schema/catalog.ts';
import type { Schemas } from '../../core/schema/room.ts';
import { graphSchemaWith } from '../../core/schema/node-kind.ts';
import { nodeKinds } from './room-contributions.ts';
import { configSchema } from './room-config.ts';
import { type HouseRoom, roomsOf } from './house.ts';

export async function schemaCatalog(given?: readonly HouseRoom[]): Promise<Schemas> {
  const list = await roomsOf(given);
  const contributed = await Promise.all(list.map(async (room) => (await room.schemas?.()) ?? {}));
  const all: Schemas = {
    ...catalog,
    ...(Object.assign({}, ...contributed) as Schemas),
    config: await configSchema(list),
    graph: graphSchemaWith(await nodeKinds(list)),
  };
  return Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1)));
}

/** Types of events come after everything else. */
const place = (name: string): number => (name.startsWith('event:') ? 1 : 0);
