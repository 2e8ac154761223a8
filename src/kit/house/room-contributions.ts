/** What all rooms contribute together, as far as it is known without opening any of them. */
import { OkaError } from '../../core/schema/errors.ts';
import type { ProviderDefinition } from '../../core/schema/model-provider.ts';
import type { NodeKind } from '../../core/schema/node-kind.ts';
import type { Sharing } from '../../core/schema/sharing.ts';
import type { Home } from '../../core/schema/home.ts';
import type { DetachedPlace } from '../../core/schema/room.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { type HouseRoom, roomsOf } from './house.ts';

/** The names of all tools that a graph, a rule or a secret may name. */
export async function knownToolNames(given?: readonly HouseRoom[]): Promise<string[]> {
  return (await roomsOf(given)).flatMap(({ tools = [] }) => tools);
}

/** The same for a home, with the tools that people configured there. */
export async function toolNamesIn(home: Home, given?: readonly HouseRoom[]): Promise<string[]> {
  const list = await roomsOf(given);
  const configured = await Promise.all(list.map(async (room) => (await room.homeTools?.(home)) ?? []));
  return [...(await knownToolNames(list)), ...configured.flat()];
}

/** The node kinds that people may write in graphs. */
export async function nodeKinds(given?: readonly HouseRoom[]): Promise<readonly NodeKind[]> {
  const list = await roomsOf(given);
  return (await Promise.all(list.map(async (room) => (await room.nodes?.()) ?? []))).flat();
}

/** The tools for a simulation or a replay, made without the pen. */
export async function detachedTools(place: DetachedPlace, given?: readonly HouseRoom[]): Promise<Tool[]> {
  const list = await roomsOf(given);
  return (await Promise.all(list.map(async (room) => (await room.detachedTools?.(place)) ?? []))).flat();
}

/** What homes let each other know, by kind. */
export async function sharingRooms(given?: readonly HouseRoom[]): Promise<Sharing[]> {
  const list = await roomsOf(given);
  return (await Promise.all(list.map(async (room) => (await room.sharing?.()) ?? []))).flat();
}

export async function modelProviders(given?: readonly HouseRoom[]): Promise<readonly ProviderDefinition[]> {
  const list = await roomsOf(given);
  const all = (await Promise.all(list.map(async (room) => (await room.providers?.()) ?? []))).flat();
  const double = all.find(({ name }, index) => all.findIndex((each) => each.name === name) !== index);
  if (double !== undefined)
    throw new OkaError('refused', `two rooms contribute the provider of models "${double.name}"`);
  return all;
}
