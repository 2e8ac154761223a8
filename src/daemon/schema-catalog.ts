/** Every concept that has a schema, with what rooms contribute to them, for `oka schema`. */
import { catalog } from '../schema/catalog.ts';
import { graphSchemaWith } from '../schema/node-kind.ts';
import { nodeKinds } from './node-kinds.ts';
import { type DaemonRoom, rooms } from './rooms.ts';

export async function schemaCatalog(list: readonly DaemonRoom[] = rooms): Promise<typeof catalog> {
  return { ...catalog, graph: graphSchemaWith(await nodeKinds(list)) };
}
