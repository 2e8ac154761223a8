/** What a drive needs from outside: stores, tools, the chain, a clock, the planner, and waits that end by themselves. */
import type { NewEvent } from '../schema/event.ts';
import type { Clock, EventStore, StateStore } from '../schema/ports.ts';
import type { Act, Outcome } from '../schema/tool.ts';
import type { WaitFor } from '../schema/wait.ts';
import type { Invoke } from './middleware-chain.ts';
import type { SettleStep, ThinkStep, ToolLookup } from './decide.ts';
import type { OpenWait, RunState } from './run-state.ts';

export type World = {
  events: EventStore;
  /** What graphs remember. */
  state: StateStore;
  tools: ToolLookup;
  invoke: Invoke;
  /** What is done around a node that ends without a call, and how it ends then; undefined when there is nothing. */
  settle?: ((run: RunState, step: SettleStep) => Promise<SettleStep>) | undefined;
  clock: Clock;
  monotonic: Clock;
  /** Asks the planner; gives the event that says what it answered. `now` is by the time that the run was at work. */
  think: (run: RunState, step: ThinkStep, act: Act, now: number) => Promise<NewEvent>;
  /** Makes an outcome fit for the ledger: large bodies become artifacts. */
  storeOutput: (outcome: Outcome) => Outcome | Promise<Outcome>;
  /** Called with what a run no longer waits for. */
  onWithdrawn?: (awaited: WaitFor) => void;
  /** Resolves when a wait that ends without a person has ended; null when nothing here ends it. */
  expect: (run: RunState, wait: OpenWait, signal: AbortSignal) => Promise<NewEvent> | null;
  /** Resolves after a time: how long calls may take to end after a stop. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};
