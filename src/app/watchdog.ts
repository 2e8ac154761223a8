/**
 * Owns: ending this process when its event loop is blocked, where no supervisor does it: whoever started it (systemd, a
 * container) starts it again, and the kernel has released its locks.
 *
 * A worker thread counts its own ticks without progress of the main thread, so that a process that was stopped
 * (SIGSTOP), or slept with the machine, is not ended when it goes on.
 */
import { Worker } from 'node:worker_threads';

type Watchdog = { end: () => void };

const TICK_MS = 2000;
const SILENCE_MS = 60_000;

export function startWatchdog({ tickMs = TICK_MS, silenceMs = SILENCE_MS } = {}): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const timer = setInterval(() => Atomics.add(beats, 0, 1), tickMs).unref();
  // The source of a function instead of a file: stripping the types in another thread would cost 12 MB.
  const workerThread = new Worker(`(${watchMainThread.toString()})()`, {
    eval: true,
    execArgv: [],
    workerData: { beats, tickMs, mostTicks: Math.ceil(silenceMs / tickMs) },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  workerThread.unref();
  workerThread.on('error', () => clearInterval(timer)); // the process works without it
  return {
    end: () => {
      clearInterval(timer);
      void workerThread.terminate();
    },
  };
}

/** Runs in the worker thread, where nothing of this file exists. */
function watchMainThread(): void {
  const { workerData } = process.getBuiltinModule('node:worker_threads');
  const { beats, tickMs, mostTicks } = workerData as { beats: Int32Array; tickMs: number; mostTicks: number };
  let seen = Atomics.load(beats, 0);
  let silentTicks = 0;
  setInterval(() => {
    const now = Atomics.load(beats, 0);
    silentTicks = now === seen ? silentTicks + 1 : 0;
    seen = now;
    if (silentTicks < mostTicks) return;
    const text = `oka: process ${process.pid} was blocked for ${Math.round((mostTicks * tickMs) / 1000)} s and ends\n`;
    process.getBuiltinModule('node:fs').writeSync(2, text);
    process.kill(process.pid, 'SIGKILL');
  }, tickMs);
}
