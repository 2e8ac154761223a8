/**
 * Loaded before a program (`node --import`): appends a line to the file that OKA_RECORD names for every module that the
 * program loads, and for every call that it makes to the file system or to SQLite, in all of its threads.
 *
 * The same work gives the same lines on every machine. System calls of SQLite and of Node itself are not among them.
 */
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';

type Called = (this: unknown, ...args: unknown[]) => unknown;
type Calls = Record<string, Called | undefined>;

const { OKA_RECORD: file = '' } = process.env;
const write = fs.writeSync;
const log = fs.openSync(file, 'a');
/** Which file a descriptor or a handle is of. */
const files = new Map<unknown, string>();
/** Constructors, streams, watchers, and what only returns a handle to a callback. */
const OTHERS = /^[A-Z_]|^(?:create|watch|unwatch|open$|openAsBlob)/;

export const record = (line: string): void => void write(log, `${line}\n`);

wrapAll(fs as unknown as Calls, Object.keys(fs));
wrapAll(fs.promises as unknown as Calls, Object.keys(fs.promises));
wrap(fs.promises as unknown as Calls, 'open');
const handle = await fs.promises.open(file);
const handles = Object.getPrototypeOf(handle) as Calls;
await handle.close();
wrapAll(handles, ['read', 'write', 'readFile', 'writeFile', 'appendFile', 'sync', 'datasync', 'truncate', 'chmod']);
wrapAll(DatabaseSync.prototype as unknown as Calls, ['exec']);
wrapAll(StatementSync.prototype as unknown as Calls, ['run', 'get', 'all', 'iterate']);
syncBuiltinESMExports();
registerHooks({
  load: (url, context, next) => {
    record(`module ${url}`);
    return next(url, context);
  },
});

function wrapAll(on: Calls, names: readonly string[]): void {
  for (const name of names) if (typeof on[name] === 'function' && !OTHERS.test(name)) wrap(on, name);
}

function wrap(on: Calls, name: string): void {
  const real = on[name] as Called;
  const recorded: Called = function recorded(...args) {
    record(`call ${name} ${files.get(args[0] ?? this) ?? files.get(this) ?? textOf(args[0])}`);
    const result = real.apply(this, args);
    if (name === 'openSync') files.set(result, textOf(args[0]));
    if (name === 'open')
      void (result as Promise<unknown>).then(
        (opened) => files.set(opened, textOf(args[0])),
        () => 0,
      );
    return result;
  };
  on[name] = Object.assign(recorded, real); // some have functions of their own, such as realpath.native
}

function textOf(value: unknown): string {
  const isPath = typeof value === 'string' || value instanceof Uint8Array || value instanceof URL;
  return isPath ? value.toString().slice(0, 500).replaceAll('\n', ' ') : '';
}
