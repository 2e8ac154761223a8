/** Owns: the projection of writing calls that have begun and of which neither the state after them nor an outcome is recorded. */
import type { Projection } from '../../schema/ports.ts';

export type OpenDeskCall = {
  run: string;
  call: string;
  node: string | null;
  /** When and where it was started, as far as that is known (tools/launch-ticket.ts). */
  at: string;
  ground: string | null;
  /** The state of the desk before it. */
  tree: string;
  /** Whether files that make other programs run must not stay without an approval. */
  isGuarded: boolean;
};

export const openDeskCalls: Projection<{ open: OpenDeskCall[] }> = {
  name: 'open_desk_calls',
  version: 2,
  file: 'state/open_desk_calls.json',
  initial: () => ({ open: [] }),
  apply: (state, event) => {
    if (event.type === 'desk.kept' && event.data.when === 'before' && event.run !== null) {
      const { call, node, ground = null, tree, author } = event.data;
      state.open = [
        ...state.open.filter((each) => each.call !== call),
        { run: event.run, call, node, at: event.at, ground, tree, isGuarded: author === 'model' },
      ];
    } else if (state.open.length > 0 && (event.type === 'desk.kept' || event.type === 'call.ended'))
      state.open = state.open.filter(({ call }) => call !== event.data.call);
    return state;
  },
};
