/**
 * Owns: the order in which the desk is written to, and that every state before and after a write is kept.
 *
 * K1 One writing call at a time, so that undo and blame are exact; reads run beside it.
 * K2 The state before a call is in the ledger before the call acts. The state after it is, if it changed anything.
 * K3 A call that outlived its worker is waited for before anybody else writes, and what it left is kept, too.
 *    One that was about to begin, and of which K2 is not in the ledger, never began.
 * K4 Where there is no space to keep a state it is waited for: what a call did well does not fail for it.
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
const LOOK_FOR_SPACE_MS = 2000;

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

type Around = {
  /** Told of a call that waits for space. */
  waits?: (call: ToolCall) => void;
  /** By what it can be known later whether the call began (tools/launch-ticket.ts). */
  ground?: (call: ToolCall) => Promise<string | null>;
};

export function onDesk(
  tools: readonly Tool[],
  shadow: Snapshots,
  append: Append,
  inTurn: InTurn = oneAtATime(),
  around: Around = {},
): Tool[] {
  return tools.map((tool) =>
    WRITERS.has(tool.name)
      ? {
          ...tool,
          invoke: (input, call) =>
            call.class === 'read'
              ? tool.invoke(input, call)
              : inTurn(() => keptAround(shadow, append, call, around, () => tool.invoke(input, call))),
        }
      : tool,
  );
}

type Outlived = Pick<ToolCall, 'run' | 'call' | 'tool' | 'class'>;
type Kept = Extract<Event, { type: 'desk.kept' }>;

/** K3. `keptBefore` finds what K2 has written, `look` what came of the call. */
export async function keptAfterCrash(
  shadow: Snapshots,
  append: Append,
  inTurn: InTurn,
  outlived: Outlived,
  {
    keptBefore,
    look,
  }: { keptBefore: () => Promise<Kept | null>; look: (before: Kept | null) => Promise<Outcome | null> },
): Promise<Outcome | null> {
  if (outlived.class === 'read' || !WRITERS.has(outlived.tool)) return look(null);
  const before = await keptBefore();
  if (before === null) return NOT_BEGUN;
  return inTurn(async () => {
    const seen = await look(before);
    if (seen?.status === 'cancelled' && seen.begun === false) return seen;
    await append(keptEvent({ ...outlived, node: null }, 'after', await shadow.snapshot(`after ${outlived.call}`)));
    return seen;
  });
}

async function keptAround(
  shadow: Snapshots,
  append: Append,
  call: ToolCall,
  { waits = () => undefined, ground = () => Promise.resolve(null) }: Around,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  if (call.signal.aborted) return NOT_BEGUN;
  const before = await onceThereIsSpace(call, waits, async () => {
    const kept = await shadow.snapshot(`before ${call.call}`);
    await append(keptEvent(call, 'before', kept, await ground(call)));
    return kept;
  });
  try {
    return await act();
  } finally {
    await onceThereIsSpace(call, waits, async () => {
      const after = await shadow.snapshot(`after ${call.call}`);
      if (after.tree !== before.tree) await append(keptEvent(call, 'after', after));
    });
  }
}

/** K4. Until the call is told to stop. */
async function onceThereIsSpace<T>(
  call: ToolCall,
  waits: (call: ToolCall) => void,
  keep: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await keep();
    } catch (error) {
      if (!isAboutSpace(error) || call.signal.aborted) throw error;
      if (tries === 0) waits(call);
      await sleep(LOOK_FOR_SPACE_MS, undefined, { signal: call.signal }).catch(() => undefined);
    }
}

function keptEvent(
  { run, node, call }: { run: string; node: string | null; call: string },
  when: 'before' | 'after',
  { tree, skipped }: { tree: string; skipped: string[] },
  ground: string | null = null,
): NewEvent {
  const named = skipped.slice(0, MOST_SKIPPED).map((path) => path.slice(0, 1000));
  const data = { call, node, when, tree, skipped: named, ...(ground === null ? {} : { ground }) };
  return { type: 'desk.kept', run, data };
}

/** What the calls of a run did to the desk, in order. A call whose end was not seen is taken up to `now`, or left out. */
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
