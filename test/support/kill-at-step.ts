/**
 * Loaded before a worker (`node --import`): it dies by SIGKILL at the first step that fits the pattern, before it or right
 * after it (OKA_TEST_STEP='{"pattern": "^rename .*RESULT.md", "when": "before"}'). Steps are what others see of it:
 * `event …` (a write to the run ledger), `message …` (to the servers), `rename …` and `mkdir …` (with the new path).
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

export type KillStep = { pattern: string; when: 'before' | 'after' };

const { OKA_TEST_STEP: given = '' } = process.env;
if (given !== '') dieAt(JSON.parse(given) as KillStep);

type Act = (this: unknown, ...args: unknown[]) => unknown;

function dieAt({ pattern, when }: KillStep): void {
  const wanted = new RegExp(pattern, 'm');
  const die = (): void => void process.kill(process.pid, 'SIGKILL');
  const watch = (on: object, name: string, stepOf: (...args: unknown[]) => string): void => {
    const real = (on as Record<string, Act>)[name] as Act;
    (on as Record<string, Act>)[name] = function act(this: unknown, ...args: unknown[]): unknown {
      const isNow = wanted.test(stepOf(...args));
      if (isNow && when === 'before') die();
      const result = real.apply(this, args);
      if (isNow) die();
      return result;
    };
  };
  watch(fs, 'writeSync', (_, bytes) => (textOf(bytes).startsWith('{"seq":') ? prefixed('event', bytes) : ''));
  watch(fs, 'renameSync', (_, to) => `rename ${String(to)}`);
  watch(fs, 'mkdirSync', (at) => `mkdir ${String(at)}`);
  watch(Socket.prototype, 'write', (bytes) => prefixed('message', bytes));
  syncBuiltinESMExports();
}

/** Each line is a step. */
const prefixed = (kind: string, bytes: unknown): string => `${kind} ${textOf(bytes).replaceAll('\n', `\n${kind} `)}`;

const textOf = (bytes: unknown): string =>
  typeof bytes === 'string' ? bytes : bytes instanceof Uint8Array ? Buffer.from(bytes).toString('latin1') : '';
