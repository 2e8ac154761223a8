/**
 * Owns: what graphs remember, as the engine sees it: the durable projection, and before it what was staged since.
 * Does not own: the fold (core/engine/graph-state.ts).
 */
import { graphState, stateName, type WrittenState, writtenState } from '../../core/engine/graph-state.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Event } from '../../core/schema/event.ts';
import type { StateStore } from '../../core/schema/ports.ts';
import type { OnDurable, ProjectionsPort } from '../ports/port-types.ts';

type StagedStatePorts = {
  projections: ProjectionsPort;
  onDurable: OnDurable;
  ledger: Pick<Ledger, 'isLost'>;
};

type Staged = { event: Event; entry: WrittenState['entry'] };

export function stagedState({ projections, onDurable, ledger }: StagedStatePorts): StateStore {
  const staged = new Map<string, Staged[]>();
  onDurable((events) => {
    const end = events.at(-1)?.seq ?? 0;
    for (const [name, changes] of staged) {
      const open = changes.filter(({ event }) => event.seq > end && !ledger.isLost(event));
      if (open.length > 0) staged.set(name, open);
      else staged.delete(name);
    }
  });
  return {
    get: (namespace, key) => {
      const name = stateName(namespace, key);
      const latest = staged.get(name)?.findLast(({ event }) => !ledger.isLost(event));
      return latest === undefined ? projections.stateOf(graphState)[name] : (latest.entry ?? undefined);
    },
    note: (event) => {
      const written = writtenState(event);
      if (written === null) return;
      const name = stateName(written.namespace, written.key);
      staged.set(name, [...(staged.get(name) ?? []), { event, entry: written.entry }]);
    },
  };
}
