/**
 * Owns: runs that take turns (`runs_at_once` and `key` of a graph).
 *
 * T1 A run may work when fewer than `at_once` runs with its key began before it and are not over. That number only
 *    falls, so a run that may work never has to wait again, and the order is that of their first events.
 * T2 A run that has to wait has an open wait and no drive; the end of another run resumes it, also after a restart.
 * T3 A run inside another one with the same key works in the turn of that one.
 */
import { hash } from 'node:crypto';
import type { Event, NewEvent } from '../schema/event.ts';
import type { Graph } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { EventStore, TurnStore } from '../schema/ports.ts';
import type { RunTurn } from '../schema/run.ts';
import type { WaitFor } from '../schema/wait.ts';
import type { RunState } from './run-state.ts';
import { fillTemplate } from './template.ts';

const LONGEST_KEY = 500;

/** With which runs a run of this graph takes turns; undefined when it does not. */
export function turnOf({ id, runs_at_once, key }: Graph, input: Json): RunTurn | undefined {
  if (runs_at_once === undefined && key === undefined) return undefined;
  const value = key === undefined ? null : fillTemplate(key, (name) => (name === 'input' ? input : undefined));
  return { key: key === undefined ? id : `${id}/${keyText(value)}`, at_once: runs_at_once ?? 1 };
}

function keyText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= LONGEST_KEY ? text : hash('sha256', text);
}

/** Whether fewer runs than may be at work at once are before it (T1). */
export function hasTurn(turns: TurnStore, { id, turn }: Pick<RunState, 'id' | 'turn'>): boolean {
  if (turn === null) return true;
  const place = turns.open(turn.key).indexOf(id);
  return place < turn.at_once;
}

export function isAwaitingTurn({ id, turn, waits }: Pick<RunState, 'id' | 'turn' | 'waits'>): boolean {
  return turn !== null && waits.has(turnWait(id));
}

const turnWait = (run: string): string => `${run}.turn`;

/** The turn of a run that another run starts: none of its own where one around it has the same key (T3). */
export function turnInside(turn: RunTurn | undefined, around: readonly RunState[]): RunTurn | null {
  return turn === undefined || around.some((run) => run.turn?.key === turn.key) ? null : turn;
}

/** What a run that has to wait is recorded with. */
export function awaitTurnEvent({ id }: RunState, turn: RunTurn): NewEvent {
  const awaited: WaitFor = { kind: 'turn', ...turn };
  return { type: 'wait.opened', run: id, data: { wait: turnWait(id), node: null, for: awaited } };
}

/** For an engine without a store: the runs that it has started itself. */
export function memoryTurns(): TurnStore & { note: (event: Event) => void } {
  const open = new Map<string, string[]>();
  return {
    open: (key) => open.get(key) ?? [],
    note: ({ type, run, data }) => {
      if (run === null) return;
      if (type === 'run.started' && data.turn !== undefined)
        open.set(data.turn.key, [...(open.get(data.turn.key) ?? []), run]);
      if (type === 'run.ended')
        for (const [key, runs] of open)
          if (runs.includes(run))
            open.set(
              key,
              runs.filter((each) => each !== run),
            );
    },
  };
}

/** The same store, which also tells `note` what is staged. */
export function notingEvents(events: EventStore, note: (event: Event) => void): EventStore {
  return {
    flush: (mine) => events.flush(mine),
    read: (filter) => events.read(filter),
    stage: (event) => {
      const staged = events.stage(event);
      note(staged);
      return staged;
    },
  };
}
