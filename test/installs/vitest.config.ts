/** Installs for real, from the registry that npm is set to: slow, so it has a script of its own. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/user-places.ts'],
    include: ['test/installs/*.trial.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
