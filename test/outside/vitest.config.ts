/** Tools and documents from outside: real servers and files that other programs made. Slow, so it has a script of its own. */
import { defineConfig } from 'vitest/config';
import { longestFirst } from '../suites/longest-first.ts';
import { filesOf } from '../support/thorough.ts';

export default defineConfig({
  test: {
    setupFiles: ['test/support/rooms-of-product.ts'],
    reporters: ['default', 'test/support/seeds.ts'], // the tests that docs/SEEDS.md names have run
    globalSetup: ['test/support/user-places.ts'],
    include: filesOf('test/outside/**/*.trial.ts', 3),
    sequence: { sequencer: longestFirst(['documents', 'hostile', 'login', 'real-servers', 'mail-story']) },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000, // however busy the machine is
    hookTimeout: 900_000, // LibreOffice may have to be installed
    expect: { poll: { timeout: 60_000 } },
  },
});
