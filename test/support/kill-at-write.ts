/**
 * Loaded before a program (`node --import`): its clock stands still at OKA_TEST_NOW, and it dies by SIGKILL at the
 * so-many-th time that it is about to change something on disk, half-way through a write, or right after it
 * (OKA_TEST_DIES="12 before|within|after"). One that lives to its end writes how often that was to OKA_TEST_COUNT.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';

const { OKA_TEST_NOW: now = '', OKA_TEST_DIES: dies = '', OKA_TEST_COUNT: countFile = '' } = process.env;
const [at = '', when = 'before'] = dies.split(' ');
const lastChange = at === '' ? Number.POSITIVE_INFINITY : Number(at);
let changes = 0;

standStill(Date.parse(now));
const writeFile = fs.writeFileSync;
const names = [
  'renameSync',
  'linkSync',
  'rmSync',
  'unlinkSync',
  'symlinkSync',
  'mkdirSync',
  'ftruncateSync',
  'fdatasyncSync',
  'fsyncSync',
  'fdatasync',
  'fsync',
  'copyFileSync',
  'writeFileSync',
] as const;
for (const name of names) wrap(fs as unknown as Changing, name);
wrapWrites();
wrap(DatabaseSync.prototype as unknown as Changing, 'exec');
syncBuiltinESMExports();
if (countFile !== '') process.once('exit', () => writeFile(countFile, String(changes)));

type Change = (...args: unknown[]) => unknown;
type Changing = Record<string, Change>;

function wrap(on: Changing, name: string): void {
  const real = on[name] as Change;
  on[name] = function changing(this: unknown, ...args: unknown[]): unknown {
    changes += 1;
    if (changes === lastChange && when !== 'after') die();
    const result = real.apply(this, args);
    if (changes === lastChange) die();
    return result;
  };
}

/** A write can be broken off in the middle. */
function wrapWrites(): void {
  const real = fs.writeSync as (fd: number, bytes: Uint8Array, from?: number, length?: number, at?: number) => number;
  const writing = (fd: number, bytes: Uint8Array | string, ...rest: (number | undefined)[]): number => {
    changes += 1;
    if (changes === lastChange && when === 'before') die();
    if (changes === lastChange && when === 'within' && typeof bytes !== 'string') {
      const [from = 0, length = bytes.length - from, position] = rest;
      real(fd, bytes, from, Math.floor(length / 2), position);
      die();
    }
    const written = real(fd, bytes as Uint8Array, ...rest);
    if (changes === lastChange) die();
    return written;
  };
  fs.writeSync = writing as typeof fs.writeSync;
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function standStill(moment: number): void {
  const Real = Date;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [moment] : args, newTarget) as Date,
    get: (target, name) => (name === 'now' ? () => moment : (Reflect.get(target, name) as unknown)),
  });
}
