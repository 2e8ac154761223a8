/** Tools and documents from outside: real servers and files that other programs made. Slow, so it has a script of its own. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/user-places.ts'],
    include: ['test/outside/**/*.trial.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000, // however busy the machine is
    hookTimeout: 900_000, // LibreOffice may have to be installed
    expect: { poll: { timeout: 60_000 } },
  },
});
