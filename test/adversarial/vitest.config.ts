/**
 * Cuts, kills, full disks, floods, forgeries: minutes of it, so it has a script of its own. It also runs the tests of
 * which `npm test` tries only a part (support/thorough.ts), whole. With OKA_TEST_PART=<seed> a third of the files of this folder run
 * with a quarter of their kills and random cases, and an eighth of the other files, chosen by the seed: the rest of those
 * run in their short form with `npm test` and the stories.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { chanceOf, filesOf } from '../support/thorough.ts';

const top = join(import.meta.dirname, '../..');
const part = process.env['OKA_TEST_PART'] ?? '';
const thorough = globSync('test/**/*.test.ts', { cwd: top })
  .filter((file) => readFileSync(join(top, file), 'utf8').includes('support/thorough.ts'))
  .filter((file) => part === '' || chanceOf(file, 8) === 0);
if (part !== '') process.env['OKA_TEST_SCALE'] ??= '0.25';

export default defineConfig({
  test: {
    setupFiles: ['test/support/rooms-of-product.ts'],
    reporters: ['default', 'test/support/seeds.ts'], // the tests that docs/SEEDS.md names have run
    globalSetup: ['test/support/user-places.ts'],
    include: [...filesOf('test/adversarial/**/*.test.ts', 3), ...thorough],
    env: { OKA_TEST_THOROUGH: '1' },
    testTimeout: 240_000, // real processes and files, however busy the machine is
    hookTimeout: 240_000, // ending them takes time, too
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    maxWorkers: 2,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
