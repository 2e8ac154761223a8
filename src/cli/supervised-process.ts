/** Being a process that `oka up` supervises: sends heartbeats, and stops when the supervisor is gone. */
import { startHeartbeat } from '../daemon/supervise.ts';

export async function underSupervisor<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const heartbeat = startHeartbeat();
  const supervisorGone = new AbortController();
  process.once('disconnect', () => supervisorGone.abort());
  try {
    return await work(AbortSignal.any([signal, supervisorGone.signal]));
  } finally {
    clearInterval(heartbeat);
    if (process.connected) process.disconnect(); // an open channel would keep this process alive
  }
}
