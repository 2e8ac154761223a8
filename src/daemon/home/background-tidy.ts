/** Tidying beside everything else: nobody waits for it, one at a time, and it is over before the ledger is closed. */
import { messageOf } from '../../schema/errors.ts';
import type { Intake } from '../../schema/intake.ts';
import type { Home } from '../../schema/home.ts';
import type { Stores } from '../stores.ts';
import { tidy, tidiedEvents } from './tidy.ts';

export type BackgroundTidy = { ask: (intake: Extract<Intake, { kind: 'tidy' }>) => void; end: () => Promise<void> };

export function backgroundTidy(home: Home, stores: Pick<Stores, 'ledger' | 'taskGraph'>): BackgroundTidy {
  const stop = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const isUnderWay = (run: string): boolean => stores.taskGraph().goals.some((goal) => goal.run === run);
  const tidyNow = async (limits: Extract<Intake, { kind: 'tidy' }>): Promise<void> => {
    if (stop.signal.aborted) return;
    const tidied = await tidy({ home, limits, isUnderWay, isDry: false, signal: stop.signal });
    await stores.ledger.append(tidiedEvents(tidied));
  };
  const failed = async (error: unknown): Promise<void> => {
    const reason = `nothing more was tidied: ${messageOf(error)}`.slice(0, 10_000);
    await stores.ledger.append({ type: 'intake.rejected', data: { name: 'tidy', reason } });
  };
  return {
    ask: (intake) =>
      void (last = last
        .then(() => tidyNow(intake))
        .catch(failed)
        .catch(() => undefined)),
    end: () => {
      stop.abort();
      return last;
    },
  };
}
