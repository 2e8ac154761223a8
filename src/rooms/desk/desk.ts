/**
 * Owns: what is recorded around every writing call: the state of the desk before it and after it.
 * Does not own: when a call may write (desk-calls.ts), calls that outlived their process (settle-desk.ts).
 *
 * K2 The state before a call is in the ledger before the call acts. The state after it is, if it changed anything. Of the
 *    desk it is the state of the folders that the call may change.
 * K5 What a model's call writes that makes other programs run is set aside before the state after it is recorded
 *    (set-aside.ts).
 * K6 Folders outside the desk that the call may change are recorded with it, so that undo covers them. Files there with which
 *    a model's call would make other programs run are removed again at once, and the call fails.
 * K7 Files AGENTS.md that a call has written are named with the state after it: nobody takes them for instructions.
 * K8 Which call has written which file is remembered (kit/desk/file-origins.ts).
 * K4 Waits until there is disk space again; a call that succeeded must not fail because its snapshot could not be stored.
 */
import { join } from 'node:path';
import type { Event, NewEvent } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import { type Outcome, runsCommand, type ToolCall } from '../../core/schema/tool.ts';
import type { TriggerChange } from '../../kit/desk/find-triggers.ts';
import { toShownPath } from '../../kit/desk/open-folder.ts';
import type { Snapshots } from '../../kit/desk/snapshots.ts';
import { isAboutSpace } from '../../kit/home/disk-space.ts';
import { isOperatorsOwn } from '../../core/guard/judge-call.ts';
import type { InTurn } from '../../kit/ports/desk-turn-port.ts';
import { type AsidePorts, askAboutAside, isAllowed, type SetAside, setAside } from './set-aside.ts';
import type { OpenDeskCall } from './open-desk-calls.ts';
import type { PlacedCall, Reading } from './task-place.ts';
import { pause } from '../../kit/pause.ts';

type Append = (event: NewEvent) => Promise<unknown>;

const MOST_SKIPPED = 1000;
const MOST_ASIDE = 1000;
export const NOT_BEGUN: Outcome = { status: 'cancelled', error: 'stopped before it began', begun: false };
const SPACE_POLL_MS = 2000;

export type DeskPorts = {
  shadow: Pick<Snapshots, 'snapshot' | 'topNames' | 'forFolder' | 'instructions' | 'fileChanges' | 'origins'>;
  /** The folders of the desk that the call may change; null, and when left out, for all of the desk. */
  placeOf?: (call: ToolCall) => Promise<readonly string[] | null>;
  /** What of the desk the task of a call names as read, and what the call reads. */
  readsOf?: (call: PlacedCall) => Promise<Reading>;
  /** Makes those of them that are not there; what it gives removes those that stayed empty. */
  makePlace?: (call: ToolCall) => Promise<() => void>;
  /**
   * Real paths of the folders outside the desk that the call may change: those that undo restores (K6), and those that it
   * does not. None when left out.
   */
  foldersOf?: (call: ToolCall) => Promise<{ restorable: readonly string[]; uncovered: readonly string[] }>;
  append: Append;
  inTurn: InTurn;
  /** Folders that were put onto the desk while a call was running, and not by it. */
  placed?: Set<string>;
  /** Calls that this process is at work on. */
  atWork?: Set<string>;
  /** The call has ended in this process, and what it left is recorded. */
  seen?: (call: string, isPlaced: boolean) => void;
  /** Called when something has to wait for disk space. */
  onWait?: (run: string) => void;
  /** Names the environment of the call, by which it can be known later whether it began (kit/sandbox/launch-ticket.ts). */
  environmentOf?: (call: ToolCall) => Promise<string | null>;
  /** K5. Without it nothing is set aside. */
  aside?: AsidePorts;
};

type SnapshotEvent = Extract<Event, { type: 'desk.kept' }>;

/** What a call may change: folders of the desk, and folders outside it that undo restores or does not. */
export type Written = {
  place?: readonly string[];
  reads?: readonly string[];
  folders: readonly { path: string }[];
  uncovered: readonly string[];
};

export async function withSnapshots(
  ports: DeskPorts,
  call: ToolCall,
  written: Written,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  const { signal } = call;
  if (signal.aborted) return NOT_BEGUN;
  ports.atWork?.add(call.call);
  try {
    return await recordAround(ports, call, written, act);
  } finally {
    ports.atWork?.delete(call.call);
  }
}

async function recordAround(
  ports: DeskPorts,
  call: ToolCall,
  { place, reads, folders: restorable, uncovered }: Written,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  const { shadow, append, environmentOf = () => Promise.resolve(null), seen = () => undefined } = ports;
  const { run, signal } = call;
  const isGuarded = ports.aside !== undefined && call.aside === undefined && !isOperatorsOwn(call);
  const before = await retryUntilSpace(ports, { run, signal }, async () => {
    if (place === undefined) ports.placed?.clear(); // what is there already is part of the state before
    const taken = await shadow.snapshot(`before ${call.call}`, { place });
    const folders = await snapshotFolders(
      ports,
      restorable.map(({ path }) => path),
      `before ${call.call}`,
    );
    const known = isGuarded && runsCommand(call.tool) ? ({ author: 'model' } as const) : {};
    const unsaved = uncovered.length === 0 ? {} : { uncovered: [...uncovered] };
    const of = { ...withPlace(place), ...(reads === undefined ? {} : { reads: [...reads] }) };
    const more = { ...of, ...known, ...withFolders(folders), ...unsaved, ...toGround(await environmentOf(call)) };
    await append(snapshotEvent(call, 'before', taken, more));
    return { ...taken, folders };
  });
  const ending: Ending = { before: before.tree, folders: before.folders, isGuarded, aside: null, reverted: [] };
  let outcome: Outcome;
  let removeEmpty: (() => void) | undefined;
  try {
    removeEmpty = await ports.makePlace?.(call);
    outcome = await act();
  } finally {
    removeEmpty?.();
    await retryUntilSpace(ports, { run, signal }, () => recordState(ports, { ...call, ...withPlace(place) }, ending));
    seen(call.call, place !== undefined);
  }
  if (ending.reverted.length > 0) return revertedOutcome(outcome, ending.reverted);
  return ending.aside === null || ports.aside === undefined
    ? outcome
    : askAboutAside(ports.aside, call, before.tree, ending.aside, outcome);
}

type FolderState = { path: string; tree: string };

const withPlace = (place: readonly string[] | undefined): { place?: string[] } =>
  place === undefined ? {} : { place: [...place] };

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
  const { shadow, append, aside } = ports;
  const { before, isGuarded } = ending;
  const { place } = call;
  const of = { place, without: place === undefined ? ports.placed : undefined };
  const folders = await recordFolders(ports, call, ending);
  let after = await shadow.snapshot(`after ${call.call}`, of);
  if (isGuarded && aside !== undefined && ending.aside === null && after.tree !== before) {
    ending.aside = await setAside(aside, { before, after: after.tree }, call);
    if (ending.aside !== null) after = await shadow.snapshot(`after ${call.call}`, of);
  }
  if (after.tree !== before)
    shadow.origins.add({ run: call.run, call: call.call }, shadow.fileChanges([{ before, after: after.tree }]));
  const found = ending.aside;
  const record = found === null ? {} : { aside: { tree: found.tree, paths: found.paths.slice(0, MOST_ASIDE) } };
  const written = shadow.instructions({ before, after: after.tree }).slice(0, MOST_ASIDE);
  const instructions = written.length === 0 ? {} : { instructions: written };
  const hasChangedFolders = JSON.stringify(folders) !== JSON.stringify(ending.folders);
  if (after.tree !== before || found !== null || hasChangedFolders || ending.isOutlived)
    await append(
      snapshotEvent(call, 'after', after, { ...withPlace(place), ...record, ...instructions, ...withFolders(folders) }),
    );
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

type Recorded = { run: string; node: string | null; call: string; place?: readonly string[] };
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
  const unchanged = snapshotEvent(call, 'after', { tree: call.tree, skipped: [] }, withPlace(call.place));
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
      await pause(SPACE_POLL_MS, signal);
    }
}

function snapshotEvent(
  { run, node, call }: Recorded,
  when: 'before' | 'after',
  { tree, skipped }: { tree: string; skipped: string[] },
  more: Partial<
    Pick<
      SnapshotEvent['data'],
      'place' | 'reads' | 'ground' | 'author' | 'aside' | 'folders' | 'uncovered' | 'instructions'
    >
  >,
): NewEvent {
  const named = skipped.slice(0, MOST_SKIPPED).map((path) => path.slice(0, 1000));
  return { type: 'desk.kept', run, data: { call, node, when, tree, skipped: named, ...more } };
}

const toGround = (environment: string | null): { ground?: string } =>
  environment === null ? {} : { ground: environment };
