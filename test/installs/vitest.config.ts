/** Installs for real, from the registry that npm is set to: slow, so it has a script of its own. */
import { defineConfig } from 'vitest/config';
import { longestFirst } from '../suites/longest-first.ts';
import { filesOf } from '../support/thorough.ts';

export default defineConfig({
  test: {
    setupFiles: ['test/support/rooms-of-product.ts'],
    reporters: ['default', 'test/support/seeds.ts'], // the tests that docs/SEEDS.md names have run
    globalSetup: ['test/support/user-places.ts'],
    include: filesOf('test/installs/*.trial.ts', 3),
    sequence: { sequencer: longestFirst(['package-managers', 'python-age', 'package', 'python']) },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
