/** What maintenance learns about: the parts that rooms contribute, in the order in which each is shown an event, behind its own. */
import type { Config } from '../../core/schema/config.ts';
import type { Part } from '../../core/schema/learning-part.ts';
import type { MaintenanceConfig } from '../../core/schema/maintenance.ts';
import { type HouseRoom, roomsOf } from './house.ts';
import { takeSlot } from '../schedule/slots.ts';
import { programVersion } from '../settings.ts';

export async function learningParts(
  settings: MaintenanceConfig,
  given?: readonly HouseRoom[],
): Promise<readonly Part[]> {
  const list = await roomsOf(given);
  return (await Promise.all(list.map(async (room) => (await room.learning?.(settings)) ?? []))).flat();
}

/** Raised whenever the rows of a part change: what was stored before is then folded again. */
const VERSION = 14;

/** Names everything that decides about the rows. */
export const learningVersion = (parts: readonly Part[], { maintenance }: Config): string =>
  `${VERSION} ${programVersion()} ${parts.map(({ name }) => name).join(' ')} ${settingsOfRows(maintenance)}`;

const lastSlots: Part = { name: 'slots', take: ({ event }, rows) => takeSlot(event, rows) };

/** The rows of maintenance itself come first. */
export const withOwnParts = (parts: readonly Part[]): Part[] => [lastSlots, ...parts];

/** Settings on which the stored rows depend: when they change, the rows are folded again. */
function settingsOfRows({ compact_days, unused_days, procedures: gate }: MaintenanceConfig): string {
  return JSON.stringify({ compact_days, unused_days, gate });
}
