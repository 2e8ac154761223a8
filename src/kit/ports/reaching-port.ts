/** Reaching people through channels, as the worker and requests use it. */
import type { DeliveryOutcome, PushSubscribed } from '../../core/schema/channel-port.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Log } from '../log-line.ts';

export type ReachingPort = {
  /**
   * From now on `poll` sends and channels receive. A new channel announces what came after `since`, which is now when
   * left out; with `desktop` the desktop is a channel while there is no other.
   */
  activate: (log: Log, options?: { since?: number; desktop?: boolean }) => void;
  poll: (state: { isStopped: boolean }) => Promise<void>;
  /** Sends a test message through one channel; throws when there is none of that name. */
  test: (name: string) => Promise<DeliveryOutcome>;
  /** Sends messages of a channel to a browser from now on. */
  subscribe: (name: string, subscription: PushSubscribed | undefined) => Promise<Json>;
  /** Takes the answer of a button that was pressed in a browser. */
  press: (name: string, token: string) => Promise<Json>;
  close: () => Promise<void>;
};
