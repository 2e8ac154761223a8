/** A flush that takes one millisecond, in this thread or in the background, whatever the disk. */
import { Worker } from 'node:worker_threads';
import type { Flush } from '../../src/core/schema/ports.ts';

export type SlowFlush = Flush & { count: () => number; [Symbol.asyncDispose](): Promise<void> };

const BESIDE = `
const { parentPort } = require('node:worker_threads');
const cell = new Int32Array(new SharedArrayBuffer(4));
parentPort.on('message', () => { Atomics.wait(cell, 0, 0, 1); parentPort.postMessage(0); });
`;

export function slowFlush(): SlowFlush {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const beside = new Worker(BESIDE, { eval: true });
  const waiting: (() => void)[] = [];
  beside.on('message', () => waiting.shift()?.());
  let flushes = 0;
  return {
    now: () => {
      flushes += 1;
      Atomics.wait(cell, 0, 0, 1);
    },
    later: () => {
      flushes += 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      beside.postMessage(0, []);
      return promise;
    },
    count: () => flushes,
    [Symbol.asyncDispose]: async () => void (await beside.terminate()),
  };
}
