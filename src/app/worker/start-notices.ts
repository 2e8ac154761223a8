/** What a person should know when a worker starts: files that were not accepted, tasks that wait, a model that is gone. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { listRejected } from '../../kit/inbox/list-rejected.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { Models } from '../../kit/models/role-models.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Log } from '../../kit/log-line.ts';
import { egressProxy } from '../../kit/settings.ts';

const MOST_NAMED = 3;
const PROBE_MS = 3000;

export function reportAtStart(home: Home, { goals }: TaskGraph, models: Models, log: Log): void {
  const { total, entries } = listRejected(join(home.workspace, 'inbox'), MOST_NAMED);
  for (const { name, reason } of entries) log(`not accepted before: ${name}: ${reason.split('\n', 1)[0]}`);
  if (total > entries.length) log(`not accepted before: ${total - entries.length} more; oka status lists them`);
  const waiting = goals.flatMap(({ waits }) => waits).filter(({ for: { kind } }) => ASKED.has(kind)).length;
  if (waiting > 0) log(`${waiting === 1 ? 'one question waits' : `${waiting} questions wait`} for you: oka status`);
  void probeModel(models, log);
}

const ASKED: ReadonlySet<string> = new Set(['approval', 'question', 'message']);

/** In the background: nothing waits for it. In containers only the proxy reaches the model, and it is not probed. */
async function probeModel(models: Models, log: Log): Promise<void> {
  try {
    const called = models.called('planner');
    if (called === null || models.isRecorded === true || egressProxy() !== null) return;
    const problem = await connectionProblem(new URL(called.baseUrl));
    if (problem !== null)
      log(
        `the model is not reachable: nothing answers at ${called.baseUrl} (${problem}). Tasks in prose wait for it; oka model test says more`,
      );
  } catch (error) {
    log(`the model cannot be used: ${messageOf(error)}`);
  }
}

/** Null when something accepts connections there. Nothing is sent. */
export function connectionProblem({ hostname, port, protocol }: URL, timeoutMs = PROBE_MS): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = connect({
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  });
  socket.unref();
  socket.setTimeout(timeoutMs, () => resolve(`no connection within ${timeoutMs / 1000} s`));
  socket.once('connect', () => resolve(null));
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  return promise.finally(() => socket.destroy());
}
