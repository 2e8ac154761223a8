/** Loads the program once, so that Node keeps what it compiled in NODE_COMPILE_CACHE. Run while the image is built. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';

const app = join(import.meta.dirname, '..');
for (const file of globSync('src/cli/commands/*.ts', { cwd: app })) await import(join(app, file));
// Loaded only when needed. What begins to work when it is loaded, such as a thread, is compiled and refuses here.
for (const file of globSync('src/{schema,ledger,engine,guard,tools,models,memory,intake,replica,daemon}/**/*.ts', {
  cwd: app,
}))
  await import(join(app, file)).catch(() => undefined);
flushCompileCache();
const { status } = spawnSync(process.execPath, [join(app, 'bin', 'oka'), '--version'], { stdio: 'inherit' });
process.exit(status ?? 1);
