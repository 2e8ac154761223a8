/** Runs as they are told by the ledger, for commands that only look. Needs no pen. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planOf, type Plan } from '../../engine/graph-plan.ts';
import { type Compared, type DecisionReplay, replayDecisions, replayFully } from '../../engine/replay-run.ts';
import { defaultStates } from '../../engine/agent-states.ts';
import { redactShapes } from '../../guard/redact.ts';
import { openArtifacts } from '../../ledger/artifacts.ts';
import { readEvents } from '../../ledger/read.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Event } from '../../schema/event.ts';
import { Graph } from '../../schema/graph.ts';
import type { Redact } from '../../schema/ports.ts';
import type { Tool } from '../../schema/tool.ts';
import type { Home } from '../../schema/home.ts';
import { openHomeVault } from '../guard/home-vault.ts';
import { builtInTools } from '../desk/built-in-tools.ts';
import { rangeOfRun } from '../views/open-views.ts';

export async function eventsOfRun(home: Home, id: string): Promise<Event[]> {
  const events: Event[] = [];
  const range = await rangeOfRun(home, id);
  for await (const event of readEvents(home.ledgers.run, { run: id, ...range })) events.push(event);
  if (events.length === 0)
    throw new OkaError('no-such-run', `there is no run "${id}"`, { fix: 'See what ran: oka log --type run.*' });
  return events;
}

export async function replayRunDecisions(home: Home, events: readonly Event[]): Promise<DecisionReplay> {
  const tools = toolsOn(join(home.workspace, 'desk'), home);
  const since = sinceBegun(events);
  return replayDecisions(await planOfRun(home, since), since, (name) => tools.get(name));
}

/** A task is received under the name of its run before that begins. */
function sinceBegun(events: readonly Event[]): readonly Event[] {
  return events.slice(
    Math.max(
      0,
      events.findIndex(({ type }) => type === 'run.started'),
    ),
  );
}

/** Idempotent tools act in a copy of the desk, which is thrown away. */
export async function replayRunFully(home: Home, events: readonly Event[], signal: AbortSignal): Promise<Compared[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'oka-replay-'));
  try {
    cpSync(join(home.workspace, 'desk'), scratch, { recursive: true, verbatimSymlinks: true });
    const { redact } = await openHomeVault(home);
    return await replayFully(events, toolsOn(scratch, home, redact), signal);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function planOfRun(home: Home, events: readonly Event[]): Promise<Plan> {
  const [first] = events;
  if (first?.type !== 'run.started') throw new OkaError('no-such-run', 'the first event of the run is not run.started');
  const { sha256 } = first.data.graph;
  const bytes = await openArtifacts(join(home.oka, 'artifacts'), redactShapes).get({ sha256 });
  return planOf(Graph.parse(JSON.parse(bytes.toString('utf8'))), sha256, defaultStates);
}

function toolsOn(desk: string, home: Home, redact: Redact = redactShapes): Map<string, Tool> {
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redact);
  const noRuns = (): Promise<string> => Promise.reject(new OkaError('refused', 'no run is started while replaying'));
  return new Map(builtInTools({ desk, home, artifacts, startRun: noRuns }).map((tool) => [tool.name, tool]));
}
