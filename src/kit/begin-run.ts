/** A run that a request has set going. */
import type { Execution, ExecutionBackend } from '../core/schema/ports.ts';
import type { RunHandle } from '../core/schema/room.ts';

/** Whoever does not wait for the run need not handle its failure. */
export async function beginRun(backend: ExecutionBackend, execution: Execution): Promise<RunHandle> {
  const id = await backend.start(execution);
  const done = backend.wait(id);
  done.catch(() => undefined); // whoever waits for it is told
  return { run: { id }, done };
}
