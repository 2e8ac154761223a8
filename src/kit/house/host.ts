/**
 * Owns: a process that owns the pen and drives runs: the open home, stop signals, requests from other processes.
 *
 * H1 `.oka/STOP` stops everything within two seconds; nothing runs while the file exists, whatever asks for it meanwhile.
 * H2 A request is in the ledger before it is handled, and handled once; one that a crash left unhandled is handled at the
 *    next start where repeating it is harmless, else it is rejected with the reason. One about a run of a fleet that this
 *    member has to claim again first waits in its file, unrecorded.
 * H3 Nothing runs before the policy is read and its hash is in the ledger (guard/open-guard.ts).
 * H4 A process that is asked to end does so, also while it starts: what runs is stopped, and nothing new begins.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../core/engine/engine.ts';
import { openRequestBell } from '../requests/request-bell.ts';
import { readRequests } from '../requests/read-requests.ts';
import { openReplies, repliesFolder, webRepliesFolder } from '../requests/request-replies.ts';
import type { Config } from '../../core/schema/config.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ExecutionBackend } from '../../core/schema/ports.ts';
import type { Ports, PortValues } from '../../core/schema/room.ts';
import type { OpenFleet } from '../ports/fleet-port.ts';
import { describeStop, isStopped, isStoppedHere } from '../home/stop-files.ts';
import type { Log } from '../log-line.ts';
import { ports } from '../ports/room-ports.ts';
import { type HouseRoom, roomsOf } from './house.ts';
import { loadRoomsConfig } from './room-config.ts';
import type { FleetEnvironment } from '../fleet-environment.ts';
import { fleetEnvironment, shownPath } from '../settings.ts';
import { COMMAND_PATIENCE_MS, whenPenIsFree } from './await-pen.ts';
import { openStores, type Stores, storePorts } from './stores.ts';
import { type OpenHome, openHome } from './wire.ts';
import { receiveRequest, type RequestPorts } from './receive-request.ts';
import { pause } from '../pause.ts';

export type Host = {
  home: Home;
  config: Config;
  engine: Engine;
  /** Executes the runs of tasks. */
  backend: ExecutionBackend;
  /** Does what a request asks for; what it sets going is not waited for. */
  handle: OpenHome['handle'];
  /** Ports of the open rooms, by name. */
  valuesOf: <P extends Ports>(wanted: P) => PortValues<P>;
  /** How often everything was stopped, by .oka/STOP or by an error: what was running then has to be resumed. */
  stops: { seen: number };
};

/** Other rooms than those of the product are for tests and embedders. */
type HostOptions = {
  log?: Log;
  /** Takes what a person should know before anything runs; goes to `log` unless given. */
  warn?: Log;
  rooms?: readonly HouseRoom[] | undefined;
  /** For the worker, a member of the fleet that OKA_FLEET names, which sends its own heartbeats; whoever does one thing is neither. */
  joinFleet?: (home: Home, stores: Stores, environment: FleetEnvironment, log: Log) => Promise<OpenFleet>;
};

const POLL_MS = 200;
/** While nothing runs there is nothing to stop. */
const POLL_IDLE_MS = 500;
/** Commands end at once; that they have is recorded when the servers of a fleet answer. */
const LONGEST_STOP_MS = 1000;

/** Opens a home, lets `work` use it, and closes everything again. */
export async function withHost<T>(
  home: Home,
  signal: AbortSignal,
  work: (host: Host) => Promise<T>,
  { log = () => undefined, warn = log, rooms: given, joinFleet }: HostOptions = {},
): Promise<T> {
  if (joinFleet ? isStoppedHere(home) : isStopped(home)) {
    const { why, fix } = describeStop(home);
    throw new OkaError('refused', `${why}: everything is stopped`, { fix });
  }
  const list = await roomsOf(given);
  const config = await loadRoomsConfig(home, list);
  for (const room of list) await room.check?.(home);
  const isBrief = joinFleet === undefined;
  const take = (): Promise<Stores> => openStores(home, config, 'run', { rooms: list, isBrief, isQuiet: !isBrief });
  const patience = { ms: isBrief ? COMMAND_PATIENCE_MS : Number.POSITIVE_INFINITY, signal, notify: warn };
  const stores = await whenPenIsFree(home.ledgers.run, take, patience);
  try {
    for (const problem of await stores.vault.readConfigured()) warn(`credentials: ${problem}`);
    const reportRun = (text: string, run: string): void => log(`${run}: ${text}`);
    const reportResult = (line: string, file: string): void => log(`${line} → ${shownPath(home, file)}`);
    const environment = fleetEnvironment(); // null when this home works alone
    const fleet = environment === null ? null : ((await joinFleet?.(home, stores, environment, log)) ?? null);
    try {
      const stops = { seen: 0 };
      // The signal may come before anything runs that it could stop (H4).
      const hold = { isOn: () => signal.aborted || isStopped(home), onHeldBack: () => void (stops.seen += 1) };
      const options = { reportRun, reportResult, rooms: list, fleet: fleet?.member ?? null, hold };
      const open = await openHome(config, storePorts(home, stores, fleet?.stores), options);
      const warning = await open.valuesOf({ sandbox: ports.sandbox }).sandbox.warning();
      if (warning !== null) warn(warning);
      const { engine, backend, handle, valuesOf } = open;
      const host: Host = { home, config, engine, backend, handle, valuesOf, stops };
      return await whileWatched(host, open, signal, work);
    } finally {
      await fleet?.close();
    }
  } finally {
    await stores.close();
  }
}

async function whileWatched<T>(
  host: Host,
  open: OpenHome,
  signal: AbortSignal,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const { engine } = host;
  const watching = new AbortController();
  const watched = watch(host, open, watching.signal);
  const stop = (): void => void engine.stopAll('the worker was stopped');
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work(host);
  } finally {
    signal.removeEventListener('abort', stop);
    watching.abort();
    await watched;
    try {
      await engine.stopAll('the process ends');
    } finally {
      await open.close();
    }
  }
}

/**
 * Polls for requests, and besides for the stop file: a request about a run of a fleet may wait for its message servers,
 * and stopping everything does not. A poll that fails stops the runs: they can be resumed.
 */
async function watch(host: Host, open: OpenHome, signal: AbortSignal): Promise<void> {
  await Promise.all([watchStopFile(host, signal), watchRequests(host, open, signal)]);
}

async function watchStopFile(host: Host, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (isStopped(host.home)) {
      // Counted only when all have ended: what is resumed while others are still being stopped would be stopped with them.
      const stopped = host.engine.stopAll(describeStop(host.home).why).then(() => void (host.stops.seen += 1));
      await Promise.race([stopped.catch(() => undefined), sleep(LONGEST_STOP_MS)]); // later ones are stopped, too
    }
    await pause(isBusy(host) ? POLL_MS : POLL_IDLE_MS, signal);
  }
}

function isBusy({ valuesOf }: Host): boolean {
  const { taskGraph } = valuesOf({ taskGraph: ports.taskGraph });
  return taskGraph().goals.some(({ status }) => status === 'running');
}

async function watchRequests(host: Host, open: OpenHome, signal: AbortSignal): Promise<void> {
  let isBroken = false;
  const handled: RequestPorts['handled'] = { last: null };
  const bell = openRequestBell(join(host.home.oka, 'intake'));
  openReplies(repliesFolder(host.home.oka), webRepliesFolder(host.home.oka)).sweep(Date.now());
  while (!signal.aborted) {
    try {
      await poll(host, open, handled);
      if (isBroken) host.stops.seen += 1;
      isBroken = false;
    } catch (error) {
      isBroken = true;
      await host.engine.stopAll(`requests cannot be taken: ${messageOf(error)}`);
    }
    await bell.wait(isBusy(host) ? POLL_MS : POLL_IDLE_MS, signal);
  }
  bell.close();
}

async function poll(host: Host, open: OpenHome, handled: RequestPorts['handled']): Promise<void> {
  const { home } = host;
  const { handle, mustAwaitFleet } = open;
  await open.refresh();
  const folder = join(home.oka, 'intake');
  const { ledger, projections } = host.valuesOf({ ledger: ports.ledger, projections: ports.projections });
  const replies = openReplies(repliesFolder(home.oka), webRepliesFolder(home.oka));
  for (const taken of readRequests(folder))
    await receiveRequest(folder, taken, { ledger, projections, handle, mustAwaitFleet, replies, handled });
  await open.poll({ isStopped: isStopped(home) });
}
