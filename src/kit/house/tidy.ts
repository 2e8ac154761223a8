/** Owns: removing what is old, room by room. */
import type { Tidied, Tidying } from '../../core/schema/room.ts';
import { type HouseRoom, roomsOf } from './house.ts';

export async function tidy(tidying: Tidying, given?: readonly HouseRoom[]): Promise<Tidied> {
  const sum: Tidied = { artifacts: 0, outbox: [], tools: [], bytes: 0 };
  for (const room of await roomsOf(given)) {
    const { artifacts = 0, outbox = [], tools = [], bytes = 0 } = (await room.tidy?.(tidying)) ?? {};
    sum.artifacts += artifacts;
    sum.outbox.push(...outbox);
    sum.tools.push(...tools);
    sum.bytes += bytes;
  }
  return sum;
}
