/** What maintenance learns about: the parts that rooms contribute, in the order in which each is shown an event. */
import type { Part } from '../../core/schema/learning-part.ts';
import type { MaintenanceConfig } from '../../core/schema/maintenance.ts';
import { type HouseRoom, roomsOf } from '../../kit/house/house.ts';

export async function learningParts(
  settings: MaintenanceConfig,
  given?: readonly HouseRoom[],
): Promise<readonly Part[]> {
  const list = await roomsOf(given);
  return (await Promise.all(list.map(async (room) => (await room.learning?.(settings)) ?? []))).flat();
}

/** Settings on which the stored rows depend: when they change, the rows are folded again. */
export function settingsOfRows({ compact_days, unused_days, procedures: gate }: MaintenanceConfig): string {
  return JSON.stringify({ compact_days, unused_days, gate });
}
