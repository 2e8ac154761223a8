import { defineConfig } from 'vitest/config';

/** Trials of the containers as people use them, built and run for real; `npm run test:docker`. */
export default defineConfig({
  test: {
    setupFiles: ['test/support/rooms-of-product.ts'],
    include: ['test/docker/*.trial.ts'],
    reporters: ['default', 'test/support/seeds.ts'], // the tests that docs/SEEDS.md names have run
    globalSetup: ['test/support/user-places.ts', 'test/docker/build.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
