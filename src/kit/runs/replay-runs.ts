/** Runs as the ledger records them, for commands that only read. Needs no pen. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Plan, planOf } from '../../core/engine/graph-plan.ts';
import { type Compared, type DecisionReplay, replayDecisions, replayFully } from '../../core/engine/replay-run.ts';
import { defaultStates } from '../../core/engine/agent-states.ts';
import { redactShapes } from '../../core/guard/redact.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { readEvents } from '../../core/ledger/read-events.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { Redact } from '../../core/schema/ports.ts';
import type { Tool } from '../../core/schema/tool.ts';
import type { Home } from '../../core/schema/home.ts';
import { deskFolder } from '../desk-folder.ts';
import { openHomeVault } from '../vault/home-vault.ts';
import { detachedTools, knownToolNames } from '../house/room-contributions.ts';
import type { HouseRoom } from '../house/house.ts';
import { rangeOfRun, type ReadOptions } from '../house/open-views.ts';
import { type ListedTool, listTool } from '../../core/schema/tool-listing.ts';

/** Tools that only the worker can make are compared by name. */
type ToolChanges = { changed: string[]; removed: string[] };

export async function eventsOfRun(home: Home, id: string, reading: ReadOptions = {}): Promise<Event[]> {
  const events: Event[] = [];
  const range = await rangeOfRun(home, id, reading);
  for await (const event of readEvents(home.ledgers.run, { run: id, ...range })) events.push(event);
  if (events.length === 0)
    throw new OkaError('no-such-run', `there is no run "${id}"`, { fix: 'See what ran: oka log --type run.*' });
  return events;
}

export async function replayRunDecisions(
  home: Home,
  events: readonly Event[],
  rooms?: readonly HouseRoom[],
): Promise<DecisionReplay & { tools: ToolChanges | null }> {
  const tools = await toolsOn(join(home.workspace, 'desk'), home, redactShapes, rooms);
  const since = sinceStart(events);
  const replay = replayDecisions(await planOfRun(home, since), since, (name) => tools.get(name));
  return { ...replay, tools: await toolChanges(home, events, rooms) };
}

/** A task is received under the name of its run before that begins. */
export function sinceStart(events: readonly Event[]): readonly Event[] {
  return events.slice(
    Math.max(
      0,
      events.findIndex(({ type }) => type === 'run.started'),
    ),
  );
}

/** Idempotent tools act in a copy of the desk, which is deleted afterwards. */
export async function replayRunFully(
  home: Home,
  events: readonly Event[],
  signal: AbortSignal,
  rooms?: readonly HouseRoom[],
): Promise<{ calls: Compared[]; tools: ToolChanges | null }> {
  const scratch = mkdtempSync(join(tmpdir(), 'oka-replay-'));
  try {
    const { desk } = await graphOfRun(home, events);
    cpSync(deskFolder(home, desk), scratch, { recursive: true, verbatimSymlinks: true });
    const { redact } = await openHomeVault(home);
    const calls = await replayFully(events, await toolsOn(scratch, home, redact, rooms), signal);
    return { calls, tools: await toolChanges(home, events, rooms) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export async function planOfRun(home: Home, events: readonly Event[]): Promise<Plan> {
  return planOf(await graphOfRun(home, events), startOfRun(events).graph.sha256, defaultStates);
}

/** The graph of a run, as it was stored when the run started. */
export async function graphOfRun(home: Home, events: readonly Event[]): Promise<Graph> {
  const bytes = await openArtifacts(join(home.oka, 'artifacts'), redactShapes).get(startOfRun(events).graph);
  return Graph.parse(JSON.parse(bytes.toString('utf8')));
}

function startOfRun(events: readonly Event[]): Extract<Event, { type: 'run.started' }>['data'] {
  const started = events.find((event) => event.type === 'run.started');
  if (started?.type !== 'run.started') throw new OkaError('no-such-run', 'the run has not started');
  return started.data;
}

async function toolsOn(
  desk: string,
  home: Home,
  redact: Redact,
  rooms?: readonly HouseRoom[],
): Promise<Map<string, Tool>> {
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redact);
  const tools = await detachedTools({ home, desk, artifacts, purpose: 'replay' }, rooms);
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** Null when no list is stored, as for runs of earlier versions. */
async function toolChanges(
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
      // tidied away: nothing can be compared
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
