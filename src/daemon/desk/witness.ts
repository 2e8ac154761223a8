/** Owns: what is known of a call that was in progress when its process died. */
import type { EngineOptions } from '../../engine/engine-context.ts';
import type { OpenCall } from '../../engine/run-state.ts';
import type { Event } from '../../schema/event.ts';
import type { ArtifactStore, EventStore } from '../../schema/ports.ts';
import type { Outcome } from '../../schema/tool.ts';
import { outcomeFromWitness } from '../../tools/builtin/shell.ts';
import { readWitness } from '../../tools/launch-witness.ts';
import { launcherPath } from '../guard/find-launcher.ts';
import { callsFolder } from '../guard/sandbox.ts';
import type { Home } from '../../schema/home.ts';
import { resolveAfterCrash } from './desk.ts';
import type { InTurn } from './desk-turns.ts';

type SnapshotEvent = Extract<Event, { type: 'desk.kept' }>;

export type WitnessPorts = { home: Home; artifacts: ArtifactStore; events: EventStore; inTurn: InTurn };

export function witnessWith(ports: WitnessPorts): NonNullable<EngineOptions['witness']> {
  const { inTurn, events } = ports;
  return (run, open) =>
    resolveAfterCrash(
      inTurn,
      { run, ...open },
      {
        findBefore: () => findSnapshotBefore(events, run, open.call),
        readOutcome: (before) => readOutcome(open, before, ports, run),
      },
    );
}

async function findSnapshotBefore(events: EventStore, run: string, call: string): Promise<SnapshotEvent | null> {
  for await (const event of events.read({ run }))
    if (event.type === 'desk.kept' && event.data.call === call && event.data.when === 'before') return event;
  return null;
}

/** Of a command the launcher knows the outcome, or that it never began. */
async function readOutcome(
  { tool, call, input, class: effect }: OpenCall,
  before: SnapshotEvent | null,
  { home, artifacts, events }: WitnessPorts,
  run: string,
): Promise<Outcome | null> {
  if (tool !== 'shell') return null;
  const patienceMs = ((input as { timeout_seconds?: number }).timeout_seconds ?? 600) * 1000;
  const name = before?.data.ground;
  const environment = before === null || name === undefined ? null : { name, at: Date.parse(before.at) };
  const seen = await readWitness(callsFolder(home), call, { launcher: launcherPath(), patienceMs, environment });
  return seen === null || seen === 'running'
    ? null
    : outcomeFromWitness(seen, input, effect, artifacts, await refusedTo(call, run, events));
}

/** What the proxy refused to a call, by its events. A name that could not be resolved was not refused. */
async function refusedTo(call: string, run: string, events: EventStore): Promise<string[]> {
  const refused: string[] = [];
  for await (const { type, data } of events.read({ run }))
    if (type === 'egress.decided' && data.call === call && data.verdict === 'refused')
      if (!data.reason.startsWith(`${data.host}: `)) refused.push(`${data.host}:${data.port}: ${data.reason}`);
  return refused;
}
