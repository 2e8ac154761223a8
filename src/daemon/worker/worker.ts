/**
 * Owns: the worker: it takes tasks from the inbox, in order, and sees each through to its result.
 *
 * W1 A task is in the ledger before anything is done about it, and its claim ends when its run is in the ledger, too:
 *    none is lost and none is done twice, wherever the process dies.
 * W2 What was under way when the process ended goes on at the next start; what waits for a person goes on waiting.
 *    What had ended and was not told is told.
 * W3 While .oka/STOP is there nothing runs; while .oka/PAUSED is there nothing new begins, and the queue fills.
 * W4 Settings that a person has changed hold from the next worker on, and that one begins when nothing is under way.
 * W5 A full disk ends nothing: it is told once, nothing new begins, and what was under way goes on when there is space.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { confinementFor } from '../../guard/command-rights.ts';
import { openInbox } from '../../intake/inbox.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import { offerOf } from '../../tools/jail.ts';
import { tidyWitnesses } from '../../tools/witness.ts';
import { callsFolder, launcherPath } from '../guard/sandbox.ts';
import { watchConfig } from '../home/config-file.ts';
import { watchDiskSpace } from '../home/disk-space.ts';
import { type Host, withHost } from '../host.ts';
import { programVersion } from '../settings.ts';
import type { Home } from '../../schema/home.ts';
import { inboxSettings } from './accept.ts';
import { endedCleanly, writePendingResults } from './pending-results.ts';
import { type LookAtConfig, takeTasks } from './take-tasks.ts';
import { resumeRuns } from './resume-runs.ts';
import type { Log } from '../log-line.ts';

const diskIsFull = new OkaError('disk-full', 'the ledger has no space');

export async function work(home: Home, signal: AbortSignal, tell: Log): Promise<void> {
  const lookAtConfig = watchConfig(home); // before it is read: what changes in between is seen
  await withHost(home, signal, (host) => serve(home, host, lookAtConfig, signal, tell), tell);
}

async function serve(
  home: Home,
  host: Host,
  lookAtConfig: LookAtConfig,
  signal: AbortSignal,
  tell: Log,
): Promise<void> {
  const { ledger } = host.stores;
  const { version: node, pid } = process;
  const isHeir = !(await endedCleanly(host.stores));
  await ledger.append({ type: 'worker.started', data: { version: programVersion(), node, host: hostname(), pid } });
  await recordSandbox(host);
  await tidyWitnesses(callsFolder(home), Date.now());
  const inbox = await openInbox(inboxSettings(home, host, tell));
  const space = watchDiskSpace(home, { tell, isBack: () => void (host.stops.seen += 1) });
  host.stores.onDurable((events) => {
    for (const { type } of events) if (type === 'ledger.disk_full') space.ranOut(diskIsFull);
  });
  void host.shadow.prune().catch((error: unknown) => tell(`undo: ${messageOf(error)}`));
  try {
    resumeRuns(host, space, tell);
    const { stores, pendingResults, writeResult } = host;
    await writePendingResults(
      join(home.workspace, 'outbox'),
      stores.taskGraph(),
      { untold: pendingResults, isHeir },
      writeResult,
    ).catch((error: unknown) => tell(`results: ${messageOf(error)}`));
    await takeTasks(home, host, inbox, { space, lookAtConfig }, signal, tell);
  } finally {
    await inbox.close();
    const reason = signal.aborted ? 'told to stop' : 'it ended by itself';
    await ledger.append({ type: 'worker.stopped', data: { reason } });
  }
}

/** How commands are held from now on. */
async function recordSandbox({ stores, config }: Host): Promise<void> {
  const offer = await offerOf(launcherPath);
  const held = confinementFor(offer, config.sandbox, 'model');
  const reason = held.kind === 'jail' ? 'the kernel offers it' : held.kind === 'none' ? held.warning : held.reason;
  const kind = held.kind === 'jail' ? 'jail' : 'none';
  await stores.ledger.append({ type: 'sandbox.chosen', data: { kind, landlock: offer.landlock, reason } });
}
