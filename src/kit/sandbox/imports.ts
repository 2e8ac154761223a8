/**
 * Owns: how `import` finds installed packages. `require` reads NODE_PATH; `import` does not and needs a hook.
 *
 * The file is written with the first package, and commands get its path only while it exists.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { replaceFile } from '../../core/ledger/disk.ts';

const TEACHING = `import * as modules from 'node:module';

const around = new URL('./lib/any.mjs', import.meta.url).href;

modules.registerHooks?.({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (error?.code !== 'ERR_MODULE_NOT_FOUND' || /^[./]|^[a-z]+:/.test(specifier)) throw error;
      try {
        return next(specifier, { ...context, parentURL: around });
      } catch {
        throw error; // the first one says what is missing
      }
    }
  },
});
`;

const fileIn = (tools: string): string => join(tools, 'node', 'imports.mjs');

export function teachImports(tools: string): void {
  const file = fileIn(tools);
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, TEACHING);
}

/** Part of the environment of every command. */
export function importsFrom(tools: string): Record<string, string> {
  return existsSync(fileIn(tools)) ? { NODE_OPTIONS: `--import=${pathToFileURL(fileIn(tools)).href}` } : {};
}
