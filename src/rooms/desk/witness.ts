/** Owns: what is known of a call that was in progress when its process died. */
import type { EngineOptions } from '../../core/engine/engine-context.ts';
import type { OpenCall } from '../../core/engine/run-state.ts';
import type { Event } from '../../core/schema/event.ts';
import type { ArtifactStore, EventStore } from '../../core/schema/ports.ts';
import type { Json } from '../../core/schema/json.ts';
import { type Outcome, runsCommand } from '../../core/schema/tool.ts';
import { outcomeFromWitness } from './tools/shell.ts';
import { readWitness } from '../../kit/sandbox/launch-witness.ts';
import { launcherPath } from '../../kit/sandbox/find-launcher.ts';
import { callsFolder } from '../../kit/sandbox/sandbox.ts';
import type { Home } from '../../core/schema/home.ts';
import { resolveAfterCrash } from './desk-calls.ts';
import type { InTurn } from '../../kit/ports/desk-turn-port.ts';
import { type AsidePorts, askAboutAside } from './set-aside.ts';

type SnapshotEvent = Extract<Event, { type: 'desk.kept' }>;

type WitnessPorts = {
  home: Home;
  artifacts: ArtifactStore;
  events: EventStore;
  inTurn: InTurn;
  aside?: AsidePorts;
};

export function witnessWith(ports: WitnessPorts): NonNullable<EngineOptions['witness']> {
  const { inTurn, events } = ports;
  return (run, open) =>
    resolveAfterCrash(
      inTurn,
      { run, ...open },
      {
        findBefore: () => findSnapshot(events, run, open.call, 'before'),
        readOutcome: async (before) => {
          const outcome = await readOutcome(open, before, ports, run);
          return outcome === null || before === null ? outcome : askIfAside(ports, open, before, outcome);
        },
      },
    );
}

async function findSnapshot(
  events: EventStore,
  run: string,
  call: string,
  when: 'before' | 'after',
): Promise<SnapshotEvent | null> {
  for await (const event of events.read({ run }))
    if (event.type === 'desk.kept' && event.data.call === call && event.data.when === when) return event;
  return null;
}

/** What the call wrote was set aside when the desk was settled, and nobody has been asked about it. */
async function askIfAside(
  { events, aside }: WitnessPorts,
  open: OpenCall,
  { run, data: before }: SnapshotEvent,
  outcome: Outcome,
): Promise<Outcome> {
  const after = await findSnapshot(events, run ?? '', open.call, 'after');
  const found = after?.data.aside;
  if (aside === undefined || run === null || found === undefined) return outcome;
  return askAboutAside(aside, { ...open, run, node: before.node }, before.tree, { ...found, left: [] }, outcome);
}

/** Of a command the launcher knows the outcome, or that it never began. */
async function readOutcome(
  { tool, call, input, class: effect }: OpenCall,
  before: SnapshotEvent | null,
  { home, artifacts, events }: WitnessPorts,
  run: string,
): Promise<Outcome | null> {
  if (!runsCommand(tool)) return null;
  const patienceMs = ((input as { timeout_seconds?: number }).timeout_seconds ?? 600) * 1000;
  const environment = before?.data.ground ?? null;
  const seen = await readWitness(callsFolder(home), call, { launcher: launcherPath(), patienceMs, environment });
  if (seen === null || seen === 'running') return null;
  const refused = await refusedTo(call, run, events);
  const outcome = await outcomeFromWitness(seen, commandInput(tool, input), effect, artifacts, refused);
  return outcome.status === 'failed' && wantsNetwork(input) ? null : outcome;
}

/** The proxy ended with the process, so that a command behind it may have failed for want of it: that is in doubt. */
const wantsNetwork = (input: Json): boolean =>
  ((input as { net?: boolean | readonly string[] }).net ?? false) !== false;

/** A script of a skill ends as the command that it was run by. */
function commandInput(tool: string, input: Json): Json {
  if (tool === 'shell') return input;
  const { script = '', timeout_seconds = 600 } = input as { script?: string; timeout_seconds?: number };
  return { argv: [script], timeout_seconds };
}

/** What the proxy refused to a call, by its events. A name that could not be resolved was not refused. */
async function refusedTo(call: string, run: string, events: EventStore): Promise<string[]> {
  const refused: string[] = [];
  for await (const { type, data } of events.read({ run }))
    if (type === 'egress.decided' && data.call === call && data.verdict === 'refused')
      if (!data.reason.startsWith(`${data.host}: `)) refused.push(`${data.host}:${data.port}: ${data.reason}`);
  return refused;
}
