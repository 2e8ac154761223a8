/**
 * Owns: waiting for the pen while a command has it that does one thing and ends. Nobody is refused for such a moment:
 * commands wait for each other, and a worker that starts waits for them. A worker is asked instead (kit/cli/carry-out.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { penHolder } from '../../core/ledger/pen.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Log } from '../log-line.ts';
import { openStores, type StoreOverrides, type Stores } from './stores.ts';

type Patience = {
  ms: number;
  signal: AbortSignal;
  /** Says for whom it waits, once. */
  notify: Log;
};

export type CommandPatience = Pick<Patience, 'signal' | 'notify'>;

/** How long a command waits for another one. */
export const COMMAND_PATIENCE_MS = 30_000;
const POLL_MS = 50;
/** Most commands have ended by then. */
const SILENT_MS = 2000;

export async function whenPenIsFree<T>(ledger: string, take: () => Promise<T>, patience: Patience): Promise<T> {
  const began = performance.now();
  for (let hasSaid = false; ; ) {
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof OkaError) || error.code !== 'pen-held') throw error;
      const holder = penHolder(ledger);
      if (holder !== null && holder.brief !== true) throw error;
      const waited = performance.now() - began;
      if (waited >= patience.ms) throw new OkaError('pen-held', `${error.message}; nothing was done`, { fix: AGAIN });
      if (!hasSaid && waited >= SILENT_MS && holder !== null) {
        patience.notify(
          `waits for process ${holder.pid} on ${holder.host}, which writes the ledger since ${holder.since}`,
        );
        hasSaid = true;
      }
      await sleep(POLL_MS, undefined, { signal: patience.signal });
    }
  }
}

/** As long as a command waits for another one, which may be short, too. */
export const takeAsCommand = <T>(home: Home, { signal, notify }: CommandPatience, take: () => Promise<T>): Promise<T> =>
  whenPenIsFree(home.ledgers.run, take, { signal, notify, ms: COMMAND_PATIENCE_MS });

/** Lets a command write where no worker runs. It does one thing with the pen, and gives it back. */
export async function withStores<T>(
  home: Home,
  config: Config,
  patience: CommandPatience,
  work: (stores: Stores) => Promise<T>,
  overrides: StoreOverrides = {},
): Promise<T> {
  const take = (): Promise<Stores> => openStores(home, config, 'run', { isBrief: true, ...overrides });
  const stores = await takeAsCommand(home, patience, take);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

const AGAIN = 'Try again when it has ended.';
