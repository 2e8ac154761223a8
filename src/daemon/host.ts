/**
 * Owns: a process that holds the pen and drives runs: engine over a home, stop signals, requests from other processes.
 *
 * H1 `.oka/STOP` stops everything within two seconds and keeps it stopped while it is there.
 * H2 A request is in the ledger before it is acted on, and acted on once.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drive } from '../engine/drive.ts';
import type { Engine } from '../engine/engine.ts';
import { archive } from '../ledger/archive.ts';
import { receivedIntakes } from '../intake/received.ts';
import { finish, type Taken, waitingIn } from '../intake/take.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import type { Config } from '../schema/config.ts';
import type { Intake } from '../schema/intake.ts';
import { type Home, loadConfig } from './settings.ts';
import { openStores, type Stores } from './stores.ts';
import { engineOver } from './wire.ts';

export type Host = { engine: Engine; stores: Stores; config: Config };

const LOOK_EVERY_MS = 200;

/** Opens a home, lets `work` use the engine, and closes everything again. */
export async function hosted<T>(home: Home, signal: AbortSignal, work: (host: Host) => Promise<T>): Promise<T> {
  if (isStopped(home))
    throw new OkaError('refused', `${join(home.oka, 'STOP')} is there: everything is stopped`, {
      fix: 'Remove the file to go on.',
    });
  const config = await loadConfig(home);
  const stores = await openStores(home, config);
  const host = { engine: engineOver(home, config, stores), stores, config };
  const watching = new AbortController();
  const watched = watch(home, host, watching.signal);
  const stop = (): void => void host.engine.stopAll('told to stop');
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(host);
  } finally {
    signal.removeEventListener('abort', stop);
    watching.abort();
    await watched;
    await host.engine.stopAll('the process ends');
    await stores.close();
  }
}

export function isStopped(home: Home): boolean {
  return existsSync(join(home.oka, 'STOP'));
}

/** Looks for the stop file and for requests, one look at a time. A look that fails stops the runs: they can be resumed. */
async function watch(home: Home, host: Host, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await look(home, host);
    } catch (error) {
      await host.engine.stopAll(`requests cannot be taken: ${messageOf(error)}`);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function look(home: Home, host: Host): Promise<void> {
  if (isStopped(home)) await host.engine.stopAll('.oka/STOP is there');
  const folder = join(home.oka, 'intake');
  for (const taken of waitingIn(folder)) await takeIn(folder, taken, host);
}

/** H2: recorded first, then the file goes, then it is acted on; acting needs nothing but the ledger. */
async function takeIn(folder: string, taken: Taken, { engine, stores, config }: Host): Promise<void> {
  if (stores.projections.stateOf(receivedIntakes).ids.includes(taken.id)) return finish(folder, taken);
  const { ledger } = stores;
  if ('reason' in taken) {
    await ledger.append({ type: 'intake.rejected', data: { name: taken.name, reason: taken.reason } });
    return finish(folder, taken);
  }
  await ledger.append({ type: 'intake.received', data: { id: taken.id, intake: taken.intake } });
  finish(folder, taken);
  try {
    await act(taken.intake, engine, stores, config);
  } catch (error) {
    await ledger.append({ type: 'intake.rejected', data: { name: taken.name, reason: messageOf(error) } });
  }
}

/** Does what a request asks for. Returns the drive that it sets going, if any. */
export async function act(intake: Intake, engine: Engine, stores: Stores, config: Config): Promise<Drive | null> {
  switch (intake.kind) {
    case 'answer':
      return engine.answer(runOfWait(intake.wait, stores), intake.wait, intake.answer);
    case 'cancel':
      await engine.stop(intake.run, { kind: 'cancel', reason: 'cancelled by a person' });
      return null;
    case 'pause':
      await engine.stop(intake.run, { kind: 'pause', reason: 'paused by a person' });
      return null;
    case 'resume':
      return engine.resume(intake.run, { reason: 'resumed by a person' });
    case 'archive':
      await archive(stores.ledger, new Date(intake.before), config.ledger.segment_mb * 1024 * 1024);
      return null;
  }
}

/** The run that a wait belongs to; waits are named so that only one can have it. */
export function runOfWait(wait: string, stores: Stores): string {
  const goal = stores.taskGraph().goals.find((candidate) => candidate.waits.some((open) => open.wait === wait));
  if (goal === undefined)
    throw new OkaError('no-such-wait', `nothing waits for "${wait}"`, { fix: 'See what waits: oka status' });
  return goal.run;
}
