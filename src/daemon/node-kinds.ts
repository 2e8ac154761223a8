/** The node kinds that rooms contribute; whoever reads a graph that a person wrote needs them. */
import type { NodeKind } from '../schema/node-kind.ts';
import { type DaemonRoom, rooms } from './rooms.ts';

export async function nodeKinds(list: readonly DaemonRoom[] = rooms): Promise<readonly NodeKind[]> {
  return (await Promise.all(list.map(async (room) => (await room.nodes?.()) ?? []))).flat();
}
