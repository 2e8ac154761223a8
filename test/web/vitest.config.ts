/** The dashboard in a real browser, with a real worker: slow, so it has a script of its own. */
import { defineConfig } from 'vitest/config';
import { filesOf } from '../support/thorough.ts';

export default defineConfig({
  test: {
    setupFiles: ['test/support/rooms-of-product.ts'],
    globalSetup: ['test/support/user-places.ts'],
    // Each change is looked at: a part of it takes a part of the pictures (oneIn), the whole takes all of them.
    include: [
      ...new Set([...filesOf('test/web/browser/**/*.scenario.ts', 3), 'test/web/browser/pictures.scenario.ts']),
    ],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000, // however busy the machine is, and so the next two
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
