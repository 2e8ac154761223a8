/** Whether the tools that a run could call are still the same, by the list that was stored when it began or resumed. */
import { join } from 'node:path';
import { redactShapes } from '../../core/guard/redact.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import { type ListedTool, listTool } from '../../core/schema/tool-listing.ts';
import { detachedTools, knownToolNames } from '../house/room-contributions.ts';
import type { HouseRoom } from '../house/house.ts';

/** Tools that only the worker can make are compared by name. */
export type ToolChanges = { changed: string[]; removed: string[] };

/** Null when no list is stored, as for runs of earlier versions. */
export async function toolChanges(
  home: Home,
  events: readonly Event[],
  rooms?: readonly HouseRoom[],
): Promise<ToolChanges | null> {
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redactShapes);
  const versions = new Set(
    events.flatMap((event) =>
      (event.type === 'run.started' || event.type === 'run.resumed') && event.data.tools !== undefined
        ? [event.data.tools]
        : [],
    ),
  );
  const lists = await Promise.all(
    [...versions].map(async (sha256) => {
      const bytes = await artifacts.get({ sha256 }).catch(() => null);
      return bytes === null ? null : (JSON.parse(bytes.toString('utf8')) as ListedTool[]);
    }),
  );
  if (lists.length === 0 || lists.includes(null)) return null;
  const place = { home, desk: join(home.workspace, 'desk'), artifacts, purpose: 'simulation' } as const;
  const now = new Map((await detachedTools(place, rooms)).map((tool) => [tool.name, JSON.stringify(listTool(tool))]));
  const names = new Set([...(await knownToolNames(rooms)), ...now.keys()]);
  const changes = { changed: new Set<string>(), removed: new Set<string>() };
  for (const tool of lists.flatMap((list) => list ?? [])) {
    if (!names.has(tool.name)) changes.removed.add(tool.name);
    else if ((now.get(tool.name) ?? JSON.stringify(tool)) !== JSON.stringify(tool)) changes.changed.add(tool.name);
  }
  return { changed: [...changes.changed], removed: [...changes.removed] };
}
