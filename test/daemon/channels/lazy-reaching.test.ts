import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lazyReaching } from '../../../src/daemon/channels/lazy-reaching.ts';
import type { ReachingPort } from '../../../src/daemon/channels/open-reaching.ts';
import { homeAt } from '../../../src/daemon/settings.ts';
import { temporaryFolder } from '../../support/cli.ts';

it('without channels.json nothing is opened; a file that appears later announces what came since the start', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  mkdirSync(join(home.oka, 'rules'), { recursive: true });
  const calls: string[] = [];
  const opened: ReachingPort = {
    activate: (_log, { since } = {}) => void calls.push(`activate since ${since}`),
    poll: async () => void calls.push('poll'),
    test: async () => ({ status: 'sent', ref: null }),
    subscribe: async () => null,
    press: async () => null,
    close: async () => void calls.push('close'),
  };
  const reaching = lazyReaching(home, () => {
    calls.push('open');
    return Promise.resolve(opened);
  });
  reaching.activate(() => undefined, { since: 7 });
  await reaching.poll({ isStopped: false });
  expect(calls).toEqual([]);
  writeFileSync(join(home.oka, 'rules/channels.json'), '{}');
  await reaching.poll({ isStopped: false });
  await reaching.poll({ isStopped: false });
  await reaching.close();
  expect(calls).toEqual(['open', 'activate since 7', 'poll', 'poll', 'close']);
});
