import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lazyReaching } from '../../../src/rooms/channels/lazy-reaching.ts';
import type { ReachingPort } from '../../../src/kit/ports/reaching-port.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { temporaryFolder } from '../../support/cli.ts';

it('without channels.json nothing is opened; a file that appears later announces what came since the start, and hooks are opened by a call', async () => {
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
  const open = async (): Promise<ReachingPort> => (calls.push('open'), opened);
  const openCalls = async () => (calls.push('open hooks'), async () => void calls.push('take calls'));
  const reaching = lazyReaching(home, open, openCalls);
  reaching.activate(() => undefined, { since: 7 });
  await reaching.poll({ isStopped: false });
  expect(calls).toEqual([]);
  writeFileSync(join(home.oka, 'rules/channels.json'), '{}');
  await reaching.poll({ isStopped: false });
  await reaching.poll({ isStopped: false });
  expect(calls.splice(0)).toEqual(['open', 'activate since 7', 'poll', 'poll']);
  mkdirSync(join(home.oka, 'web/hooks'), { recursive: true });
  await reaching.poll({ isStopped: false });
  expect(calls.splice(0)).toEqual(['poll']);
  writeFileSync(join(home.oka, 'web/hooks/x.json'), '{}');
  await reaching.poll({ isStopped: true });
  await reaching.poll({ isStopped: false });
  writeFileSync(join(home.oka, 'RESTORED'), ''); // of a backup, and nobody has said that this is the home now
  await reaching.poll({ isStopped: false });
  await reaching.close();
  expect(calls).toEqual(['poll', 'poll', 'open hooks', 'take calls', 'close']);
});
