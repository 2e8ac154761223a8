/** The tools of all rooms for a simulation or a replay: made without the pen and without opening a room. */
import type { DetachedPlace } from '../schema/room.ts';
import type { Tool } from '../schema/tool.ts';
import { type DaemonRoom, rooms } from './rooms.ts';

export async function detachedTools(place: DetachedPlace, list: readonly DaemonRoom[] = rooms): Promise<Tool[]> {
  return (await Promise.all(list.map(async (room) => (await room.detachedTools?.(place)) ?? []))).flat();
}
