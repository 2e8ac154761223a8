/** What all rooms contribute together, as far as it is known without opening any of them. */
import { OkaError } from '../../core/schema/errors.ts';
import type { ProviderDefinition } from '../../core/schema/model-provider.ts';
import type { NodeKind } from '../../core/schema/node-kind.ts';
import type { Home } from '../../core/schema/home.ts';
import type { DetachedPlace } from '../../core/schema/room.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { type DaemonRoom, rooms } from '../../app/rooms.ts';

/** The names of all tools that a graph, a rule or a secret may name. */
export const knownToolNames = (list: readonly DaemonRoom[] = rooms): string[] =>
  list.flatMap(({ tools = [] }) => tools);

/** The same for a home, with the tools that people configured there. */
export async function toolNamesIn(home: Home, list: readonly DaemonRoom[] = rooms): Promise<string[]> {
  const configured = await Promise.all(list.map(async (room) => (await room.homeTools?.(home)) ?? []));
  return [...knownToolNames(list), ...configured.flat()];
}

/** The node kinds that people may write in graphs. */
export async function nodeKinds(list: readonly DaemonRoom[] = rooms): Promise<readonly NodeKind[]> {
  return (await Promise.all(list.map(async (room) => (await room.nodes?.()) ?? []))).flat();
}

/** The tools for a simulation or a replay, made without the pen. */
export async function detachedTools(place: DetachedPlace, list: readonly DaemonRoom[] = rooms): Promise<Tool[]> {
  return (await Promise.all(list.map(async (room) => (await room.detachedTools?.(place)) ?? []))).flat();
}

export async function modelProviders(list: readonly DaemonRoom[] = rooms): Promise<readonly ProviderDefinition[]> {
  const all = (await Promise.all(list.map(async (room) => (await room.providers?.()) ?? []))).flat();
  const double = all.find(({ name }, index) => all.findIndex((each) => each.name === name) !== index);
  if (double !== undefined)
    throw new OkaError('refused', `two rooms contribute the provider of models "${double.name}"`);
  return all;
}
