/** Types of the ports that the host gives to rooms before any of them is opened. */
import type { Engine } from '../../core/engine/engine.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Projections } from '../../core/ledger/projections.ts';
import type { Event } from '../../core/schema/event.ts';

export type LedgerPort = Pick<Ledger, 'append' | 'stage' | 'flush' | 'read' | 'end' | 'failure' | 'checkPen'>;
export type ProjectionsPort = Pick<Projections, 'stateOf'>;
/** Calls the listener with every batch once it is on disk; returns how to stop that. */
export type OnDurable = (listener: (events: readonly Event[]) => void) => () => void;
/** The engine as rooms see it. It is made out of what they contribute, so it answers once all of them are open. */
export type Runs = Pick<
  Engine,
  | 'start'
  | 'startChild'
  | 'startLinked'
  | 'nodeStart'
  | 'resume'
  | 'answer'
  | 'note'
  | 'stop'
  | 'stateOf'
  | 'eventsOf'
  | 'post'
  | 'whenSettled'
  | 'activeRuns'
>;
