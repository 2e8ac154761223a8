/**
 * Owns: reaching people as long as nobody wants to be reached: without channels.json nothing of it is loaded, and
 * nothing of hooks before the first call.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder } from '../../core/ledger/disk.ts';
import { restoredFile } from '../../kit/home/stop-files.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Log } from '../../kit/log-line.ts';
import type { TakeCalls } from './inbound-hooks.ts';
import type { ReachingPort } from '../../kit/ports/reaching-port.ts';

/** Not from channels-file.ts, which loads the schemas of all channels. */
export const hasChannels = (home: Home): boolean => existsSync(join(home.oka, 'rules', 'channels.json'));

/** Not from hook-calls.ts, for the same reason. Whoever takes them reports a folder that cannot be read. */
function hasCalls(home: Home): boolean {
  try {
    return listFolder(join(home.oka, 'web', 'hooks')).length > 0;
  } catch {
    return true;
  }
}

export function lazyReaching(
  home: Home,
  open: () => Promise<ReachingPort>,
  openCalls: (log: Log) => Promise<TakeCalls>,
): ReachingPort {
  let takeCalls: TakeCalls | null = null;
  let active: { log: Log; since: number; desktop: boolean } | null = null;
  let opened: Promise<ReachingPort> | null = null;
  const load = async (): Promise<ReachingPort> => {
    const reaching = await open();
    if (active !== null) reaching.activate(active.log, active);
    return reaching;
  };
  const reaching = (): Promise<ReachingPort> => (opened ??= load());
  return {
    activate: (log, { since = Date.now(), desktop = false } = {}) => {
      active = { log, since, desktop };
      void opened?.then((now) => now.activate(log, { since, desktop }));
    },
    poll: async (state) => {
      if (existsSync(restoredFile(home))) return; // its original may still reach people, and take their answers
      if (opened !== null || (active !== null && (active.desktop || hasChannels(home))))
        await (await reaching()).poll(state);
      if (active === null || state.isStopped || !hasCalls(home)) return;
      takeCalls ??= await openCalls(active.log);
      await takeCalls();
    },
    test: async (name) => (await reaching()).test(name),
    subscribe: async (name, subscription) => (await reaching()).subscribe(name, subscription),
    press: async (name, token) => (await reaching()).press(name, token),
    close: async () => (await opened)?.close(),
  };
}
