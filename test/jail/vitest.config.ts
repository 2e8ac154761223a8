import { defineConfig } from 'vitest/config';

/** Trials that need a container engine; `npm run test:jail`. */
export default defineConfig({
  test: {
    setupFiles: ['test/support/rooms-of-product.ts'],
    globalSetup: ['test/support/user-places.ts'],
    include: ['test/jail/*.trial.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 5_400_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
