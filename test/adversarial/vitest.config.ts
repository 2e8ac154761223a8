/** Cuts, kills, full disks, floods, forgeries: minutes of it, so it has a script of its own. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/user-places.ts'],
    include: ['test/adversarial/**/*.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
