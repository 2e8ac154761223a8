/** Owns: reaching people as long as nobody wants to be reached: without channels.json nothing of it is loaded. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../schema/home.ts';
import type { Log } from '../log-line.ts';
import type { ReachingPort } from './open-reaching.ts';

/** Not from channels-file.ts, which loads the schemas of all channels. */
export const hasChannels = (home: Home): boolean => existsSync(join(home.oka, 'rules', 'channels.json'));

export function lazyReaching(home: Home, open: () => Promise<ReachingPort>): ReachingPort {
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
      if (opened !== null || (active !== null && (active.desktop || hasChannels(home))))
        await (await reaching()).poll(state);
    },
    test: async (name) => (await reaching()).test(name),
    subscribe: async (name, subscription) => (await reaching()).subscribe(name, subscription),
    press: async (name, token) => (await reaching()).press(name, token),
    close: async () => (await opened)?.close(),
  };
}
