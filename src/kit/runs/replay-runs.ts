/** Runs as the ledger records them, for commands that only read. Needs no pen. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planOf, type Plan } from '../../core/engine/graph-plan.ts';
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
import { detachedTools } from '../house/room-contributions.ts';
import type { HouseRoom } from '../house/house.ts';
import { rangeOfRun, type ReadOptions } from '../house/open-views.ts';
import { type ToolChanges, toolChanges } from './tool-changes.ts';

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
