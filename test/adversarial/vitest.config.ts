/**
 * Cuts, kills, full disks, floods, forgeries: minutes of it, so it has a script of its own. It also runs the tests of
 * which `npm test` tries only a part (support/thorough.ts), whole.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const top = join(import.meta.dirname, '../..');
const thorough = globSync('test/**/*.test.ts', { cwd: top }).filter((file) =>
  readFileSync(join(top, file), 'utf8').includes('support/thorough.ts'),
);

export default defineConfig({
  test: {
    globalSetup: ['test/support/user-places.ts'],
    include: ['test/adversarial/**/*.test.ts', ...thorough],
    env: { OKA_TEST_THOROUGH: '1' },
    testTimeout: 240_000, // real processes and files, however busy the machine is
    hookTimeout: 240_000, // ending them takes time, too
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
