/**
 * Owns: what is recorded around every writing call: the state of the desk before it and after it.
 * Does not own: whose turn it is to write (desk-turns.ts), calls that outlived their process (settle-desk.ts).
 *
 * K1 One writing call at a time, so that undo and blame are exact; reads run at the same time.
 * K2 The state before a call is in the ledger before the call acts. The state after it is, if it changed anything.
 * K3 A call that outlived its process is settled before anybody else writes. One of which K2 is not in the ledger never began.
 * K4 Waits until there is disk space again; a call that succeeded must not fail because its snapshot could not be stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Event, NewEvent } from '../../schema/event.ts';
import type { Outcome, Tool, ToolCall } from '../../schema/tool.ts';
import type { Step } from '../../tools/desk/plan-undo.ts';
import type { Snapshots } from '../../tools/desk/snapshots.ts';
import { isAboutSpace } from '../home/disk-space.ts';
import type { InTurn } from './desk-turns.ts';

type Append = (event: NewEvent) => Promise<unknown>;

const WRITERS = new Set(['shell', 'files.write', 'files.edit', 'files.move', 'files.remove']);
const MOST_SKIPPED = 1000;
export const NOT_BEGUN: Outcome = { status: 'cancelled', error: 'stopped before it began', begun: false };
const SPACE_POLL_MS = 2000;

export type DeskPorts = {
  shadow: Pick<Snapshots, 'snapshot'>;
  append: Append;
  inTurn: InTurn;
  /** Folders that were put onto the desk while a call was running, and not by it. */
  placed?: Set<string>;
  /** The call has ended in this process, and what it left is recorded. */
  seen?: (call: string) => void;
  /** Called when something has to wait for disk space. */
  onWait?: (run: string) => void;
  /** Names the environment of the call, by which it can be known later whether it began (tools/launch-ticket.ts). */
  environmentOf?: (call: ToolCall) => Promise<string | null>;
};

export function onDesk(tools: readonly Tool[], ports: DeskPorts): Tool[] {
  const invokeInTurn = (tool: Tool, input: Parameters<Tool['invoke']>[0], call: ToolCall): Promise<Outcome> =>
    ports.inTurn(() => withSnapshots(ports, call, () => tool.invoke(input, call)), {
      signal: call.signal,
      value: NOT_BEGUN,
    });
  return tools.map((tool) =>
    WRITERS.has(tool.name)
      ? {
          ...tool,
          invoke: (input, call) => (call.class === 'read' ? tool.invoke(input, call) : invokeInTurn(tool, input, call)),
        }
      : tool,
  );
}

type Outlived = Pick<ToolCall, 'run' | 'call' | 'tool' | 'class'>;
type SnapshotEvent = Extract<Event, { type: 'desk.kept' }>;

/** K3. The outcome of a call that was in progress when its process died. */
export async function resolveAfterCrash(
  inTurn: InTurn,
  { tool, class: effect }: Outlived,
  {
    findBefore,
    readOutcome,
  }: {
    findBefore: () => Promise<SnapshotEvent | null>;
    readOutcome: (before: SnapshotEvent | null) => Promise<Outcome | null>;
  },
): Promise<Outcome | null> {
  if (effect === 'read' || !WRITERS.has(tool)) return readOutcome(null);
  const before = await findBefore();
  return before === null ? NOT_BEGUN : inTurn(() => readOutcome(before));
}

async function withSnapshots(ports: DeskPorts, call: ToolCall, act: () => Promise<Outcome>): Promise<Outcome> {
  const { shadow, append, environmentOf = () => Promise.resolve(null), seen = () => undefined, placed } = ports;
  const { run, signal } = call;
  if (signal.aborted) return NOT_BEGUN;
  const before = await retryUntilSpace(ports, { run, signal }, async () => {
    placed?.clear(); // what is there already is part of the state before
    const taken = await shadow.snapshot(`before ${call.call}`);
    await append(snapshotEvent(call, 'before', taken, await environmentOf(call)));
    return taken;
  });
  try {
    return await act();
  } finally {
    await retryUntilSpace(ports, { run, signal }, async () => {
      const after = await shadow.snapshot(`after ${call.call}`, placed);
      if (after.tree !== before.tree) await append(snapshotEvent(call, 'after', after));
    });
    seen(call.call);
  }
}

type Recorded = { run: string; node: string | null; call: string };

/** The state of the desk is the one after this call, of which nobody saw the end. */
export async function recordAfter(ports: DeskPorts, call: Recorded, signal: AbortSignal): Promise<void> {
  await retryUntilSpace(ports, { run: call.run, signal }, async () => {
    await ports.append(snapshotEvent(call, 'after', await ports.shadow.snapshot(`after ${call.call}`)));
  });
}

/** K4. Until it is stopped. */
async function retryUntilSpace<T>(
  { onWait = () => undefined }: DeskPorts,
  { run, signal }: { run: string; signal: AbortSignal },
  record: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await record();
    } catch (error) {
      if (!isAboutSpace(error) || signal.aborted) throw error;
      if (tries === 0) onWait(run);
      await sleep(SPACE_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
}

function snapshotEvent(
  { run, node, call }: Recorded,
  when: 'before' | 'after',
  { tree, skipped }: { tree: string; skipped: string[] },
  environment: string | null = null,
): NewEvent {
  const named = skipped.slice(0, MOST_SKIPPED).map((path) => path.slice(0, 1000));
  const data = { call, node, when, tree, skipped: named, ...(environment === null ? {} : { ground: environment }) };
  return { type: 'desk.kept', run, data };
}

/** What the calls of a run did to the desk, in order. A call whose end is unknown counts up to `now`, or is left out. */
export function stepsOf(events: readonly Event[], now: string | null): Step[] {
  const open = new Map<string, string>();
  const ended = new Set<string>();
  const steps: Step[] = [];
  for (const event of events) {
    if (event.type === 'call.ended') ended.add(event.data.call);
    if (event.type !== 'desk.kept') continue;
    const { call, when, tree } = event.data;
    const before = open.get(call);
    if (when === 'before') open.set(call, tree);
    else if (before !== undefined) {
      steps.push({ before, after: tree });
      open.delete(call);
    }
  }
  if (now === null) return steps;
  const unseen = [...open].filter(([call]) => !ended.has(call));
  return [...steps, ...unseen.map(([, before]) => ({ before, after: now }))];
}
