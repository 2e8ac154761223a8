/** Owns: the projection of writing calls that have begun and of which neither the state after them nor an outcome is recorded. */
import type { Event } from '../../core/schema/event.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import type { Projection } from '../../core/schema/ports.ts';
import { doTouch, reachOf } from '../../kit/desk/reach.ts';

export type OpenDeskCall = {
  run: string;
  call: string;
  node: string | null;
  /** Where it was started, as far as that is known (kit/sandbox/launch-ticket.ts). */
  ground: string | null;
  /** The state of the desk before it. */
  tree: string;
  /** Whether files that make other programs run must not stay without an approval. */
  isGuarded: boolean;
  /** Folders of the desk that it may change; all of the desk when left out. */
  place?: string[];
  /** Folders of the desk that it reads, and that nobody may change meanwhile. */
  reads?: string[];
  /** The states before it of folders outside the desk that it may change. */
  folders?: { path: string; tree: string }[];
  /** Folders outside the desk that it may change, and of which there is no state. */
  uncovered?: string[];
  /** Folders of tasks that arrived since, by run: they are not the work of this call. */
  placed?: Record<string, string>;
};

export const openDeskCalls: Projection<{ open: OpenDeskCall[] }> = {
  name: 'open_desk_calls',
  version: 6,
  types: ['desk.kept', 'call.ended', 'task.received', 'run.started'],
  initial: () => ({ open: [] }),
  apply: (state, event) => {
    if (event.type === 'desk.kept' && event.data.when === 'before' && event.run !== null) {
      const { call, node, ground = null, tree, author, place, reads, folders, uncovered } = event.data;
      const known = {
        ...(place === undefined ? {} : { place }),
        ...(reads === undefined ? {} : { reads }),
        ...(folders === undefined ? {} : { folders }),
        ...(uncovered === undefined ? {} : { uncovered }),
      };
      // Of those that touch one writes at a time (K1), so that those before it are settled: what they changed is recorded.
      const others = state.open.filter((each) => !doTouch(reachOf(each), reachOf(known)));
      const own = { run: event.run, call, node, ground, tree, isGuarded: author === 'model' };
      state.open = [...others, { ...own, ...known }];
    } else if (state.open.length > 0) {
      notePlaced(state.open, event);
      if (event.type === 'desk.kept' || event.type === 'call.ended')
        state.open = state.open.filter(({ call }) => call !== event.data.call);
    }
    return state;
  },
};

/** The files of a task go into a folder with its id, or one that its run then names. */
function notePlaced(open: readonly OpenDeskCall[], { type, run, data }: Event): void {
  if (run === null || (type !== 'task.received' && type !== 'run.started')) return;
  for (const each of open) {
    if (type === 'task.received' && data.files.length > 0) each.placed = { ...each.placed, [run]: run };
    const dir = type === 'run.started' && each.placed?.[run] !== undefined ? jsonField(data.input, 'dir') : null;
    if (typeof dir === 'string') each.placed = { ...each.placed, [run]: dir };
  }
}
