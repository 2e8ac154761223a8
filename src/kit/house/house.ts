/**
 * Owns: which rooms the house has. Their list is app/rooms.ts, which knows everybody, while kit and rooms know nobody; so
 * whoever starts a process of oka says here where the list is. It is loaded when somebody asks, since most commands need
 * no room.
 */
import type { RunState } from '../../core/engine/run-state.ts';
import type { Room } from '../../core/schema/room.ts';

export type HouseRoom = Room<RunState>;

let list: (() => Promise<readonly HouseRoom[]>) | null = null;

export function setRooms(load: () => Promise<readonly HouseRoom[]>): void {
  list = load;
}

/** Those that are given, for tests and embedders; else those of the product. */
export async function roomsOf(given?: readonly HouseRoom[]): Promise<readonly HouseRoom[]> {
  if (given !== undefined) return given;
  if (list === null) throw new Error('no list of rooms was set in this process');
  return list();
}
