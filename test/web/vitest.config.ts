/** The dashboard in a real browser, with a real worker: slow, so it has a script of its own. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/user-places.ts'],
    include: ['test/web/browser/**/*.scenario.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } }, // however busy the machine is
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
