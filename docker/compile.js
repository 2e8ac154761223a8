/** Loads the program once, so that Node keeps what it compiled in NODE_COMPILE_CACHE. Run while the image is built. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';

const app = join(import.meta.dirname, '..');
// What begins to work when it is loaded, such as a thread, is compiled and refuses here. What runs in a browser is not for us.
for (const file of globSync('src/**/*.ts', {
  cwd: app,
  exclude: (path) => path === 'browser' || path.endsWith('/browser'),
}))
  if (!file.endsWith('main.ts') && !file.endsWith('.d.ts')) await import(join(app, file)).catch(() => undefined);
flushCompileCache();
const { status } = spawnSync(process.execPath, [join(app, 'bin', 'oka'), '--version'], { stdio: 'inherit' });
process.exit(status ?? 1);
