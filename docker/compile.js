/** Loads the whole program once, so that Node keeps what it compiled in NODE_COMPILE_CACHE. Run while the image is built. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';

const app = join(import.meta.dirname, '..');
for (const file of globSync('src/**/*.ts', { cwd: app })) if (file !== 'src/cli/main.ts') await import(join(app, file));
flushCompileCache();
process.exitCode =
  spawnSync(process.execPath, [join(app, 'bin', 'oka'), '--version'], { stdio: 'inherit' }).status ?? 1;
