/**
 * Loaded before a worker (`node --import`): it dies by SIGKILL at the so-many-th write to the run ledger that contains an
 * event which fits the pattern, before the write or after it (OKA_TEST_KILL='{"pattern": "…", "times": 2, "when": "after"}').
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export type KillMoment = { pattern: string; times: number; when: 'before' | 'after' };

const { OKA_TEST_KILL: given = '' } = process.env;
if (given !== '') dieAt(JSON.parse(given) as KillMoment);

function dieAt({ pattern, times, when }: KillMoment): void {
  const real = fs.writeSync as (fd: number, bytes: Uint8Array, ...rest: unknown[]) => number;
  const wanted = new RegExp(pattern);
  let left = times;
  const writing = (fd: number, bytes: Uint8Array | string, ...rest: unknown[]): number => {
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8');
    const isLedger = text.startsWith('{"seq":') && text.split('\n').some((line) => wanted.test(line));
    if (isLedger) left -= 1;
    const isNow = isLedger && left === 0;
    if (isNow && when === 'before') process.kill(process.pid, 'SIGKILL');
    const written = real(fd, bytes as Uint8Array, ...rest);
    if (isNow) process.kill(process.pid, 'SIGKILL');
    return written;
  };
  fs.writeSync = writing as typeof fs.writeSync;
  syncBuiltinESMExports();
}
