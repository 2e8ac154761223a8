/** Owns: the places of the tools that planners chose, among all that their runs had, by the lists that were recorded. */
import { join } from 'node:path';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { redactShapes } from '../../core/guard/redact.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ListedTool } from '../../core/schema/tool-listing.ts';
import { scoreTool, type ToolScore } from '../../core/schema/tool-score.ts';

export type ToolRank = ToolScore & { tool: string; rank: number; of: number };

/** Nothing for runs in which no planner chose, and for those whose list is not stored. */
export async function toolRanks(home: Home, events: readonly Event[]): Promise<ToolRank[]> {
  const chosen = new Set(events.flatMap(chosenTools));
  if (chosen.size === 0) return [];
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redactShapes);
  const versions = new Set(
    events.flatMap(({ type, data }) => (type === 'run.started' && data.tools !== undefined ? [data.tools] : [])),
  );
  const lists = await Promise.all([...versions].map((sha256) => artifacts.get({ sha256 }).catch(() => null))); // tidied away
  const tools = new Map(
    lists
      .flatMap((bytes) => (bytes === null ? [] : (JSON.parse(bytes.toString('utf8')) as ListedTool[])))
      .map((tool) => [tool.name, scoreTool(tool)]),
  );
  const ordered = [...tools].toSorted(([a, one], [b, other]) => other.score - one.score || (a < b ? -1 : 1));
  return ordered.flatMap(([tool, score], at) =>
    chosen.has(tool) ? [{ tool, rank: at + 1, of: ordered.length, ...score }] : [],
  );
}

function chosenTools({ type, data }: Event): string[] {
  if (type !== 'decision.made' || data.decision.kind !== 'CallTool') return [];
  return [data.decision, ...(data.decision.also ?? [])].map(({ tool }) => tool);
}
