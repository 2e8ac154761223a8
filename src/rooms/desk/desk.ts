/**
 * Owns: what is recorded around every writing call: the state of the desk before it and after it.
 * Does not own: whose turn it is to write (desk-turns.ts), calls that outlived their process (settle-desk.ts).
 *
 * K1 One writing call at a time, so that undo and blame are exact; reads run at the same time.
 * K2 The state before a call is in the ledger before the call acts. The state after it is, if it changed anything.
 * K3 A call that outlived its process is settled before anybody else writes. One of which K2 is not in the ledger never began.
 * K5 What a model's call writes that makes other programs run is set aside before the state after it is recorded
 *    (set-aside.ts).
 * K6 Folders outside the desk that the call may change are recorded with it, so that undo covers them. Files there with which
 *    a model's call would make other programs run are removed again at once, and the call fails.
 * K7 Files AGENTS.md that a call has written are named with the state after it: nobody takes them for instructions.
 * K4 Waits until there is disk space again; a call that succeeded must not fail because its snapshot could not be stored.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DESK_WRITERS } from '../../core/schema/desk-writers.ts';
import type { Event, NewEvent } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import { type Outcome, runsCommand, type Tool, type ToolCall } from '../../core/schema/tool.ts';
import type { TriggerChange } from '../../kit/desk/find-triggers.ts';
import { toShownPath } from '../../kit/desk/open-folder.ts';
import type { Snapshots } from '../../kit/desk/snapshots.ts';
import { isAboutSpace } from '../../kit/home/disk-space.ts';
import { isOperatorsOwn } from '../../core/guard/judge-call.ts';
import type { InTurn } from '../../kit/ports/desk-turn-port.ts';
import { type AsidePorts, askAboutAside, isAllowed, putInPlace, type SetAside, setAside } from './set-aside.ts';
import type { OpenDeskCall } from './open-desk-calls.ts';

type Append = (event: NewEvent) => Promise<unknown>;

const MOST_SKIPPED = 1000;
const MOST_ASIDE = 1000;
const NOT_BEGUN: Outcome = { status: 'cancelled', error: 'stopped before it began', begun: false };
const SPACE_POLL_MS = 2000;

export type DeskPorts = {
  shadow: Pick<Snapshots, 'snapshot' | 'topNames' | 'forFolder' | 'instructions'>;
  /**
   * Real paths of the folders outside the desk that the call may change: those that undo restores (K6), and those that it
   * does not. None when left out.
   */
  foldersOf?: (call: ToolCall) => Promise<{ restorable: readonly string[]; uncovered: readonly string[] }>;
  append: Append;
  inTurn: InTurn;
  /** Folders that were put onto the desk while a call was running, and not by it. */
  placed?: Set<string>;
  /** The call has ended in this process, and what it left is recorded. */
  seen?: (call: string) => void;
  /** Called when something has to wait for disk space. */
  onWait?: (run: string) => void;
  /** Names the environment of the call, by which it can be known later whether it began (kit/sandbox/launch-ticket.ts). */
  environmentOf?: (call: ToolCall) => Promise<string | null>;
  /** K5. Without it nothing is set aside. */
  aside?: AsidePorts;
};

export function onDesk(tools: readonly Tool[], ports: DeskPorts): Tool[] {
  const invokeInTurn = (tool: Tool, input: Parameters<Tool['invoke']>[0], call: ToolCall): Promise<Outcome> =>
    ports.inTurn(() => withSnapshots(ports, call, () => invokeOrPlace(ports, tool, input, call)), {
      signal: call.signal,
      value: NOT_BEGUN,
    });
  return tools.map((tool) =>
    DESK_WRITERS.has(tool.name)
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
  if (effect === 'read' || !DESK_WRITERS.has(tool)) return readOutcome(null);
  const before = await findBefore();
  return before === null ? NOT_BEGUN : inTurn(() => readOutcome(before));
}

/** Files that were set aside and approved are put in place; the tool does not act again. */
async function invokeOrPlace(
  { aside }: DeskPorts,
  tool: Tool,
  input: Parameters<Tool['invoke']>[0],
  call: ToolCall,
): Promise<Outcome> {
  return aside === undefined || call.aside === undefined ? tool.invoke(input, call) : putInPlace(aside, call.aside);
}

async function withSnapshots(ports: DeskPorts, call: ToolCall, act: () => Promise<Outcome>): Promise<Outcome> {
  const { shadow, append, environmentOf = () => Promise.resolve(null), seen = () => undefined, placed } = ports;
  const { run, signal } = call;
  if (signal.aborted) return NOT_BEGUN;
  const isGuarded = ports.aside !== undefined && call.aside === undefined && !isOperatorsOwn(call);
  const { restorable, uncovered } = (await ports.foldersOf?.(call)) ?? { restorable: [], uncovered: [] };
  const before = await retryUntilSpace(ports, { run, signal }, async () => {
    placed?.clear(); // what is there already is part of the state before
    const taken = await shadow.snapshot(`before ${call.call}`);
    const folders = await snapshotFolders(ports, restorable, `before ${call.call}`);
    const known = isGuarded && runsCommand(call.tool) ? ({ author: 'model' } as const) : {};
    const unsaved = uncovered.length === 0 ? {} : { uncovered: [...uncovered] };
    const more = { ...known, ...withFolders(folders), ...unsaved, ...toGround(await environmentOf(call)) };
    await append(snapshotEvent(call, 'before', taken, more));
    return { ...taken, folders };
  });
  const ending: Ending = { before: before.tree, folders: before.folders, isGuarded, aside: null, reverted: [] };
  let outcome: Outcome;
  try {
    outcome = await act();
  } finally {
    await retryUntilSpace(ports, { run, signal }, () => recordState(ports, call, ending));
    seen(call.call);
  }
  if (ending.reverted.length > 0) return revertedOutcome(outcome, ending.reverted);
  return ending.aside === null || ports.aside === undefined
    ? outcome
    : askAboutAside(ports.aside, call, before.tree, ending.aside, outcome);
}

export type FolderState = { path: string; tree: string };

const withFolders = (folders: FolderState[]): { folders?: FolderState[] } => (folders.length === 0 ? {} : { folders });

async function snapshotFolders({ shadow }: DeskPorts, paths: readonly string[], label: string): Promise<FolderState[]> {
  const taken: FolderState[] = [];
  for (const path of paths) taken.push({ path, tree: (await shadow.forFolder(path).snapshot(label)).tree });
  return taken;
}

/** Restores files in folders outside the desk that would make other programs run (K6), and names them. */
async function revertTriggers(
  { shadow, aside }: DeskPorts,
  before: FolderState[],
  after: FolderState[],
): Promise<string[]> {
  return before.flatMap(({ path, tree }) => {
    const now = after.find((each) => each.path === path)?.tree ?? tree;
    const triggers = now === tree ? [] : shadow.forFolder(path).triggers({ before: tree, after: now });
    const isOpened = ({ path: at, isUnknown }: TriggerChange): boolean =>
      isUnknown === true && aside !== undefined && isAllowed(aside, 'shell', join(path, toShownPath(at)));
    const found = triggers.filter((each) => !isOpened(each));
    if (found.length > 0)
      shadow.forFolder(path).change(found.map(({ path: at, before: to, after: from }) => ({ path: at, from, to })));
    return found.map(({ path: at, why, isUnknown }) => {
      const full = join(path, toShownPath(at));
      return `${full} (${why}${isUnknown ? `. To allow it, a rule of the policy: { effect: allow, path: '${full}' }` : ''})`;
    });
  });
}

function revertedOutcome(outcome: Outcome, reverted: readonly string[]): Outcome {
  const named = `${reverted.slice(0, 5).join(', ')}${reverted.length > 5 ? ` and ${reverted.length - 5} more` : ''}`;
  const note = `it wrote files that make other programs run; outside the desk that is never done, and they are as they were before: ${named}`;
  return outcome.status === 'failed'
    ? { ...outcome, error: `${outcome.error}\n${note}` }
    : { status: 'failed', error: note, temporary: false };
}

/** What is known when a call has ended; `aside` is found once, also when there is no space to record it at first. */
type Ending = {
  before: string;
  folders: FolderState[];
  isGuarded: boolean;
  aside: SetAside | null;
  /** Files outside the desk that were restored at once (K6). */
  reverted: string[];
  isOutlived?: true;
};

async function recordState(
  ports: DeskPorts,
  call: Recorded & { tool: string; input: Json },
  ending: Ending,
): Promise<void> {
  const { shadow, append, placed, aside } = ports;
  const { before, isGuarded } = ending;
  const folders = await recordFolders(ports, call, ending);
  let after = await shadow.snapshot(`after ${call.call}`, placed);
  if (isGuarded && aside !== undefined && ending.aside === null && after.tree !== before) {
    ending.aside = await setAside(aside, { before, after: after.tree }, call);
    if (ending.aside !== null) after = await shadow.snapshot(`after ${call.call}`, placed);
  }
  const found = ending.aside;
  const record = found === null ? {} : { aside: { tree: found.tree, paths: found.paths.slice(0, MOST_ASIDE) } };
  const written = shadow.instructions({ before, after: after.tree }).slice(0, MOST_ASIDE);
  const instructions = written.length === 0 ? {} : { instructions: written };
  const hasChangedFolders = JSON.stringify(folders) !== JSON.stringify(ending.folders);
  if (after.tree !== before || found !== null || hasChangedFolders || ending.isOutlived)
    await append(snapshotEvent(call, 'after', after, { ...record, ...instructions, ...withFolders(folders) }));
}

/** The states of the folders outside the desk after the call; of a model's call without what makes programs run. */
async function recordFolders(ports: DeskPorts, { call }: Recorded, ending: Ending): Promise<FolderState[]> {
  const paths = ending.folders.map(({ path }) => path);
  const after = await snapshotFolders(ports, paths, `after ${call}`);
  const reverted = ending.isGuarded ? await revertTriggers(ports, ending.folders, after) : [];
  if (reverted.length === 0) return after;
  ending.reverted = reverted;
  return snapshotFolders(ports, paths, `after ${call}`);
}

type Recorded = { run: string; node: string | null; call: string };
type Outliving = Recorded & Pick<OpenDeskCall, 'tree' | 'isGuarded' | 'placed' | 'folders'>;

/**
 * The state of the desk is the one after this call, of which nobody saw the end. It is recorded even if nothing has
 * changed: else the call stays open, and what others do until the next crash is put down to it.
 */
export async function recordAfter(ports: DeskPorts, call: Outliving, signal: AbortSignal): Promise<void> {
  const { tree: before, folders = [], isGuarded } = call;
  const ending: Ending = { before, folders, isGuarded, aside: null, reverted: [], isOutlived: true };
  // Only commands are guarded after a crash, and of those no input is needed.
  const command = { ...call, tool: 'shell', input: null };
  await retryUntilSpace(ports, { run: call.run, signal }, () =>
    recordState({ ...ports, placed: placedDuring(ports, call) }, command, ending),
  );
}

/** A call that never began has changed nothing, whatever is on the desk by now. */
export async function recordUnbegun(ports: DeskPorts, call: Outliving, signal: AbortSignal): Promise<void> {
  const unchanged = snapshotEvent(call, 'after', { tree: call.tree, skipped: [] }, {});
  await retryUntilSpace(ports, { run: call.run, signal }, () => ports.append(unchanged));
}

/** Folders of tasks that arrived during the call. What was there before it belongs to its state. */
function placedDuring({ shadow }: DeskPorts, { tree, placed = {} }: Outliving): Set<string> {
  const names = new Set(Object.values(placed));
  return names.size === 0 ? names : names.difference(shadow.topNames(tree));
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
  more: Partial<Pick<SnapshotEvent['data'], 'ground' | 'author' | 'aside' | 'folders' | 'uncovered' | 'instructions'>>,
): NewEvent {
  const named = skipped.slice(0, MOST_SKIPPED).map((path) => path.slice(0, 1000));
  return { type: 'desk.kept', run, data: { call, node, when, tree, skipped: named, ...more } };
}

const toGround = (environment: string | null): { ground?: string } =>
  environment === null ? {} : { ground: environment };
