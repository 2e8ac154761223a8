/** Owns: what events say about the states of the desk, and of folders outside it, before and after calls. Pure. */
import type { Event } from '../../core/schema/event.ts';
import type { Step } from '../desk/plan-undo.ts';
import { joinReaches, type Reach, reachOf } from '../desk/reach.ts';

/** Folders outside the desk that these events recorded. */
export function foldersIn(events: readonly Event[]): string[] {
  const recorded = events.flatMap(({ type, data }) => (type === 'desk.kept' ? (data.folders ?? []) : []));
  return [...new Set(recorded.map(({ path }) => path))];
}

/** Folders outside the desk that these events say undo does not restore. */
export function uncoveredFolders(events: readonly Event[]): string[] {
  return [...new Set(events.flatMap(({ type, data }) => (type === 'desk.kept' ? (data.uncovered ?? []) : [])))];
}

/** What the calls that these events are about may change; nothing when they are about none. */
export function reachIn(events: readonly Event[]): Reach {
  return joinReaches(events.flatMap(({ type, data }) => (type === 'desk.kept' ? [reachOf(data)] : [])));
}

/** The places of the calls that these events are about; undefined is all of the desk. */
export function placesIn(events: readonly Event[]): (readonly string[] | undefined)[] {
  const places = events.flatMap(({ type, data }) => (type === 'desk.kept' ? [data.place] : []));
  return [...new Map(places.map((place) => [JSON.stringify(place ?? null), place])).values()];
}

/** The state of the desk in the place of a call; all of it without one. */
export type StateNow = (place: readonly string[] | undefined) => string;

/**
 * What the calls of a run did to the desk, or to a folder outside it, in order. A call whose end is unknown counts up to
 * `now`, or is left out.
 */
export function stepsOf(events: readonly Event[], now: StateNow | null, folder: string | null = null): Step[] {
  const open = new Map<string, { tree: string; place: readonly string[] | undefined }>();
  const ended = new Set<string>();
  const steps: Step[] = [];
  for (const event of events) {
    if (event.type === 'call.ended') ended.add(event.data.call);
    if (event.type !== 'desk.kept') continue;
    const { call, when, folders = [], place } = event.data;
    const tree = folder === null ? event.data.tree : folders.find(({ path }) => path === folder)?.tree;
    if (tree === undefined) continue;
    const before = open.get(call);
    if (when === 'before') open.set(call, { tree, place: folder === null ? place : undefined });
    else if (before !== undefined) {
      steps.push({ before: before.tree, after: tree });
      open.delete(call);
    }
  }
  if (now === null) return steps;
  const unseen = [...open].filter(([call]) => !ended.has(call));
  return [...steps, ...unseen.map(([, { tree, place }]) => ({ before: tree, after: now(place) }))];
}

/** The state of the desk, or of those folders of it that a call could change. */
type DeskState = { tree: string; place?: readonly string[] | undefined };

/**
 * The state of the desk, or of the copy in `folder`, when a node started, out of the events of the run and the runs inside
 * it: the state before the next call that could write, else the state after the last one. Null when no call could write.
 */
export function deskStateAt(
  events: readonly Event[],
  startSeq: number,
  folder: string | null = null,
): DeskState | null {
  const states = events.flatMap((event) => {
    if (event.type !== 'desk.kept') return [];
    const { tree, folders = [], when, place } = event.data;
    const found = folder === null ? tree : folders.find(({ path }) => path === folder)?.tree;
    const of = folder === null && place !== undefined ? { place } : {};
    return found === undefined ? [] : [{ seq: event.seq, when, state: { tree: found, ...of } }];
  });
  const next = states.find(({ seq, when }) => seq >= startSeq && when === 'before');
  return (next ?? states.findLast(({ seq }) => seq < startSeq))?.state ?? null;
}
