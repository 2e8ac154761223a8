/**
 * Being a process that works for a long time. Under `oka up` it sends heartbeats and stops when the supervisor is gone;
 * without a supervisor it has a watchdog of its own.
 */
import { applyLimitsOfThreads, startHeartbeat } from '../../kit/house/supervise.ts';

export async function underSupervisor<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  applyLimitsOfThreads();
  const endWatch = await watchEventLoop();
  const supervisorGone = new AbortController();
  process.once('disconnect', () => supervisorGone.abort());
  try {
    return await work(AbortSignal.any([signal, supervisorGone.signal]));
  } finally {
    endWatch();
    if (process.connected) process.disconnect(); // an open channel would keep this process alive
  }
}

async function watchEventLoop(): Promise<() => void> {
  if (process.connected) {
    const heartbeat = startHeartbeat();
    return () => clearInterval(heartbeat);
  }
  const { startWatchdog } = await import('../watchdog.ts');
  return startWatchdog().end;
}
