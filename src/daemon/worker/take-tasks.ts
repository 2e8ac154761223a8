/** Owns: the order in which a worker does things: renewed settings, what was stopped, then the next task of the inbox. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claimed } from '../../intake/claim.ts';
import type { Inbox } from '../../intake/inbox.ts';
import { messageOf } from '../../schema/errors.ts';
import type { watchConfig } from '../home/config-file.ts';
import type { DiskSpace } from '../home/disk-space.ts';
import { isPaused, isStopped } from '../home/stop-files.ts';
import type { Host } from '../host.ts';
import type { Home } from '../../schema/home.ts';
import { knownIn } from '../task/procedures.ts';
import { accept } from './accept.ts';
import { modelWaits } from './model-waits.ts';
import { resumeRuns } from './resume-runs.ts';
import type { Log } from '../log-line.ts';

const LOOK_EVERY_MS = 500;

export type LookAtConfig = ReturnType<typeof watchConfig>;

/** Until the signal, or until another worker should begin with settings that have changed. */
export async function takeTasks(
  home: Home,
  host: Host,
  inbox: Inbox,
  { space, lookAtConfig }: { space: DiskSpace; lookAtConfig: LookAtConfig },
  signal: AbortSignal,
  tell: Log,
): Promise<void> {
  const atWork = new Set<Promise<unknown>>();
  const goOnWithoutModel = modelWaits(host, knownIn(home.ledgers.maintenance), (run, error) => {
    if (!space.ranOut(error)) tell(`${run}: ${messageOf(error)}`);
  });
  let stops = 0;
  while (!signal.aborted) {
    if (atWork.size === 0 && isIdle(host) && (await isRenewed(lookAtConfig, host, tell))) return;
    const isHeld = space.isShort() || isStopped(home);
    if (!isHeld && host.stops.seen > stops) {
      stops = host.stops.seen;
      resumeRuns(host, space, tell);
    }
    if (!isHeld) await goOnWithoutModel();
    if (isHeld || isPaused(home) || atWork.size >= host.config.inbox.parallel) {
      await Promise.race([rest(signal), ...atWork]);
      continue;
    }
    const claimed = await inbox.next(AbortSignal.any([signal, AbortSignal.timeout(2 * LOOK_EVERY_MS)]));
    if (claimed === null) continue;
    if (isStopped(home) || isPaused(home)) {
      inbox.putBack(claimed);
      continue;
    }
    const rested = await acceptOrPutBack(home, host, inbox, claimed, space, tell);
    if (rested === null) continue;
    const watched = rested.done.finally(() => atWork.delete(watched));
    atWork.add(watched);
  }
  await Promise.all(atWork);
}

const isIdle = ({ stores }: Host): boolean => stores.taskGraph().goals.every(({ status }) => status !== 'running');

/** W4 in worker.ts: whoever keeps this process alive starts the next one, which reads the settings. */
async function isRenewed(look: LookAtConfig, { stores }: Host, tell: Log): Promise<boolean> {
  const looked = await look();
  if (looked.kind === 'invalid') {
    tell(`config.json: ${looked.reason.split('\n', 1)[0]}`);
    await stores.ledger.append({
      type: 'intake.rejected',
      data: { name: 'config.json', reason: looked.reason.slice(0, 10_000) },
    });
  }
  if (looked.kind === 'changed') tell('config.json has changed: a worker with the new settings begins');
  return looked.kind === 'changed';
}

const rest = (signal: AbortSignal): Promise<void> => sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);

type Rested = { done: Promise<unknown> };

async function acceptOrPutBack(
  home: Home,
  host: Host,
  inbox: Inbox,
  claimed: Claimed,
  space: DiskSpace,
  tell: Log,
): Promise<Rested | null> {
  const failed = (what: string, error: unknown): unknown => space.ranOut(error) || tell(`${what}: ${messageOf(error)}`);
  try {
    tell(`took in: ${claimed.title} (${claimed.id})`);
    const drive = await accept(home, host, claimed);
    inbox.finish(claimed);
    const done = drive?.done ?? Promise.resolve();
    return { done: done.catch((error: unknown) => failed(claimed.id, error)) };
  } catch (error) {
    failed(`${claimed.name} could not be taken in`, error);
    inbox.putBack(claimed);
    await sleep(LOOK_EVERY_MS);
    return null;
  }
}
