/** Real message servers and real workers that are killed and paused: slow, so it has a script of its own. */
import { defineConfig } from 'vitest/config';
import { longestFirst } from '../suites/longest-first.ts';
import { filesOf } from '../support/thorough.ts';

export default defineConfig({
  test: {
    setupFiles: ['test/support/rooms-of-product.ts'],
    globalSetup: ['test/support/user-places.ts'],
    include: filesOf('test/fleet/**/*.trial.ts', 3),
    sequence: {
      sequencer: longestFirst([
        'killed-sender',
        'stopped-refill',
        'backfill',
        'killed-receiver',
        'draining',
        'shared-procedures',
        'orders',
        'far-orders',
        'answered-at-home',
        'homes',
      ]),
    },
    pool: 'forks',
    maxWorkers: 2, // most of them wait
    testTimeout: 900_000, // however busy the machine is
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
