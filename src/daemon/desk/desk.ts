/**
 * Owns: the order of writes to the desk, and a snapshot of the desk before and after each of them.
 *
 * K1 One writing call at a time, so that undo and blame are exact; reads run at the same time.
 * K2 The state before a call is in the ledger before the call acts. The state after it is, if it changed anything.
 * K3 A call that outlived its worker is waited for before anybody else writes, and what it left is stored, too.
 *    One that was about to begin, and of which K2 is not in the ledger, never began.
 * K4 Waits until there is disk space again; a call that succeeded must not fail because its snapshot could not be stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Event, NewEvent } from '../../schema/event.ts';
import type { Outcome, Tool, ToolCall } from '../../schema/tool.ts';
import type { Step } from '../../tools/desk/plan-undo.ts';
import type { Snapshots } from '../../tools/desk/snapshots.ts';
import { isAboutSpace } from '../home/disk-space.ts';

type Append = (event: NewEvent) => Promise<unknown>;

const WRITERS = new Set(['shell', 'files.write', 'files.edit', 'files.move', 'files.remove']);
const MOST_SKIPPED = 1000;
const NOT_BEGUN: Outcome = { status: 'cancelled', error: 'stopped before it began', begun: false };
const SPACE_POLL_MS = 2000;

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

type DeskOptions = {
  /** Called when a call has to wait for disk space. */
  onWait?: (call: ToolCall) => void;
  /** Names the environment of the call, by which it can be known later whether it began (tools/launch-ticket.ts). */
  environmentOf?: (call: ToolCall) => Promise<string | null>;
};

export function onDesk(
  tools: readonly Tool[],
  shadow: Snapshots,
  append: Append,
  inTurn: InTurn = oneAtATime(),
  around: DeskOptions = {},
): Tool[] {
  return tools.map((tool) =>
    WRITERS.has(tool.name)
      ? {
          ...tool,
          invoke: (input, call) =>
            call.class === 'read'
              ? tool.invoke(input, call)
              : inTurn(() => withSnapshots(shadow, append, call, around, () => tool.invoke(input, call))),
        }
      : tool,
  );
}

type Outlived = Pick<ToolCall, 'run' | 'call' | 'tool' | 'class'>;
type SnapshotEvent = Extract<Event, { type: 'desk.kept' }>;

/** K3. `findBefore` finds the snapshot that K2 has recorded, `readOutcome` how the call ended. */
export async function snapshotAfterCrash(
  shadow: Snapshots,
  append: Append,
  inTurn: InTurn,
  outlived: Outlived,
  {
    findBefore,
    readOutcome,
  }: {
    findBefore: () => Promise<SnapshotEvent | null>;
    readOutcome: (before: SnapshotEvent | null) => Promise<Outcome | null>;
  },
): Promise<Outcome | null> {
  if (outlived.class === 'read' || !WRITERS.has(outlived.tool)) return readOutcome(null);
  const before = await findBefore();
  if (before === null) return NOT_BEGUN;
  return inTurn(async () => {
    const seen = await readOutcome(before);
    if (seen?.status === 'cancelled' && seen.begun === false) return seen;
    await append(snapshotEvent({ ...outlived, node: null }, 'after', await shadow.snapshot(`after ${outlived.call}`)));
    return seen;
  });
}

async function withSnapshots(
  shadow: Snapshots,
  append: Append,
  call: ToolCall,
  { onWait = () => undefined, environmentOf = () => Promise.resolve(null) }: DeskOptions,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  if (call.signal.aborted) return NOT_BEGUN;
  const before = await retryUntilSpace(call, onWait, async () => {
    const state = await shadow.snapshot(`before ${call.call}`);
    await append(snapshotEvent(call, 'before', state, await environmentOf(call)));
    return state;
  });
  try {
    return await act();
  } finally {
    await retryUntilSpace(call, onWait, async () => {
      const after = await shadow.snapshot(`after ${call.call}`);
      if (after.tree !== before.tree) await append(snapshotEvent(call, 'after', after));
    });
  }
}

/** K4, until the call is stopped. */
async function retryUntilSpace<T>(
  call: ToolCall,
  onWait: (call: ToolCall) => void,
  store: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await store();
    } catch (error) {
      if (!isAboutSpace(error) || call.signal.aborted) throw error;
      if (tries === 0) onWait(call);
      await sleep(SPACE_POLL_MS, undefined, { signal: call.signal }).catch(() => undefined);
    }
}

function snapshotEvent(
  { run, node, call }: { run: string; node: string | null; call: string },
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

export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
