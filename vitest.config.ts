import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['test/support/rooms-of-product.ts'],
    reporters: ['default', 'test/support/seeds.ts'], // the tests that docs/SEEDS.md names have run
    globalSetup: ['test/support/user-places.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['test/fixture/**', 'test/adversarial/**'],
    testTimeout: 240_000, // real processes and files, however busy the machine is
    hookTimeout: 240_000, // beginning and ending them takes time, too
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    execArgv: ['--max-semi-space-size=64'], // many short-lived objects: fewer collections of the young generation
    isolate: false, // half of the time went into starting processes and loading the same modules
    maxWorkers: 4, // many tests wait for processes, so four share two cores well
    experimental: { viteModuleRunner: false, nodeLoader: false }, // Node runs the source as it is, so no test needs a transform
  },
});
