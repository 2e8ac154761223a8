/** The providers of models that rooms contribute. */
import { OkaError } from '../schema/errors.ts';
import type { ProviderDefinition } from '../schema/model-provider.ts';
import { type DaemonRoom, rooms } from './rooms.ts';

export async function modelProviders(list: readonly DaemonRoom[] = rooms): Promise<readonly ProviderDefinition[]> {
  const all = (await Promise.all(list.map(async (room) => (await room.providers?.()) ?? []))).flat();
  const double = all.find(({ name }, index) => all.findIndex((each) => each.name === name) !== index);
  if (double !== undefined)
    throw new OkaError('refused', `two rooms contribute the provider of models "${double.name}"`);
  return all;
}
