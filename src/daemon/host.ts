/**
 * Owns: a process that holds the pen and drives runs: engine over a home, stop signals, requests from other processes.
 *
 * H1 `.oka/STOP` stops everything within two seconds and keeps it stopped while it is there.
 * H2 A request is in the ledger before it is acted on, and acted on once.
 * H3 Nothing runs before the policy is read and its hash is in the ledger.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drive } from '../engine/drive.ts';
import type { Engine } from '../engine/engine.ts';
import { given } from '../guard/granted-approvals.ts';
import { archive } from '../ledger/archive.ts';
import { receivedIntakes } from '../intake/received.ts';
import { finish, type Taken, waitingIn } from '../intake/take.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import type { Config } from '../schema/config.ts';
import type { Intake } from '../schema/intake.ts';
import type { Shadow } from '../tools/desk/shadow.ts';
import { type ApprovalPages, approvalPages, assertAnswer, openApprovals } from './guard/approval-pages.ts';
import { lineClassifierOf } from './guard/classifier.ts';
import type { Deps } from './deps/deps.ts';
import { isStopped } from './home/stop-files.ts';
import type { PendingResults } from './worker/pending-results.ts';
import { recordMemory } from './memory/record-memory.ts';
import { type LoadedPolicy, openPolicy, type PolicyFile } from './guard/policy-file.ts';
import { loadConfig, shownPath } from './settings.ts';
import type { Home } from '../schema/home.ts';
import { openStores, type Stores } from './stores.ts';
import { type BackgroundTidy, backgroundTidy } from './home/background-tidy.ts';
import { undo } from './desk/undo.ts';
import { engineOver } from './wire.ts';

export type Host = {
  engine: Engine;
  stores: Stores;
  config: Config;
  policy: () => LoadedPolicy;
  shadow: Shadow;
  deps: Deps;
  tidying: BackgroundTidy;
  /** Whether somebody can plan what is not a runbook. */
  hasModel: () => boolean;
  /** Whether a procedure could plan a task that has not been planned yet. */
  fitsProcedure: (run: string) => Promise<boolean>;
  /** Writes the result of a task, as far as it has come; later, when it cannot be written now. */
  writeResult: (run: string) => Promise<void>;
  pendingResults: PendingResults;
  /** How often everything was stopped, by .oka/STOP or by trouble: what was under way then has to be taken up again. */
  stops: { seen: number };
};
type Watched = Host & { policyFile: PolicyFile; pages: ApprovalPages };

const LOOK_EVERY_MS = 200;
/** While nothing is at work there is nothing to stop. */
const LOOK_IDLY_EVERY_MS = 500;

/** Opens a home, lets `work` use the engine, and closes everything again. */
export async function withHost<T>(
  home: Home,
  signal: AbortSignal,
  work: (host: Host) => Promise<T>,
  tell: (line: string) => void = () => undefined,
): Promise<T> {
  if (isStopped(home))
    throw new OkaError('refused', `${join(home.oka, 'STOP')} is there: everything is stopped`, {
      fix: 'Remove the file to go on.',
    });
  const config = await loadConfig(home);
  const policyFile = openPolicy(home.policy, lineClassifierOf(home));
  const policy = (): LoadedPolicy => policyFile.now();
  const stores = await openedUnder(policy(), home, config);
  const wired = engineOver(home, config, stores, policy, (result, run) => tell(`${run}: ${shownPath(home, result)}`));
  const { engine, shadow, models, deps } = wired;
  const hasModel = (): boolean => models.for('planner') !== null;
  const pages = pagesOf(home, stores, engine);
  const tidying = backgroundTidy(home, stores);
  const host = {
    engine,
    stores,
    config,
    policy,
    shadow,
    deps,
    tidying,
    hasModel,
    fitsProcedure: wired.fitsProcedure,
    writeResult: wired.writeResult,
    pendingResults: wired.pendingResults,
    stops: { seen: 0 },
    policyFile,
    pages,
  };
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
    await tidying.end();
    await host.engine.stopAll('the process ends');
    try {
      await host.pages.show();
      shadow.close();
    } finally {
      await wired.close();
      await stores.close();
    }
  }
}

/** Looks for the stop file and for requests, one look at a time. A look that fails stops the runs: they can be resumed. */
async function watch(home: Home, host: Watched, signal: AbortSignal): Promise<void> {
  let isBroken = false;
  while (!signal.aborted) {
    try {
      await look(home, host);
      if (isBroken) host.stops.seen += 1;
      isBroken = false;
    } catch (error) {
      isBroken = true;
      await host.engine.stopAll(`requests cannot be taken: ${messageOf(error)}`);
    }
    const isAtWork = host.stores.taskGraph().goals.some(({ status }) => status === 'running');
    await sleep(isAtWork ? LOOK_EVERY_MS : LOOK_IDLY_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function look(home: Home, host: Watched): Promise<void> {
  if (isStopped(home)) {
    host.stops.seen += 1;
    await host.engine.stopAll('.oka/STOP is there');
  }
  const folder = join(home.oka, 'intake');
  await lookAtPolicy(host);
  await lookAtVault(host);
  for (const taken of waitingIn(folder)) await takeIn(folder, taken, host);
  if (!isStopped(home)) await host.deps.poll();
  await (isStopped(home) ? host.pages.show() : host.pages.look());
}

async function openedUnder(policy: LoadedPolicy, home: Home, config: Config): Promise<Stores> {
  const stores = await openStores(home, config);
  try {
    await policyHolds(stores, policy);
    return stores;
  } catch (error) {
    await stores.close();
    throw error;
  }
}

/** H3. The same policy is not told twice. */
async function policyHolds(stores: Stores, { sha256, policy }: LoadedPolicy): Promise<void> {
  if (stores.projections.stateOf(given).policy === sha256) return;
  await stores.ledger.append({ type: 'policy.loaded', data: { sha256, rules: policy.rules.length } });
}

/** What other processes changed in the vault, for redaction and for the ledger. */
async function lookAtVault({ stores }: Watched): Promise<void> {
  for (const data of await stores.vault.refresh()) await stores.ledger.append({ type: 'secret.changed', data });
}

async function lookAtPolicy({ policyFile, stores }: Watched): Promise<void> {
  const looked = policyFile.poll();
  if (looked.kind === 'loaded') {
    await policyHolds(stores, looked);
    policyFile.activate(looked);
  } else if (looked.kind === 'invalid')
    await stores.ledger.append({ type: 'intake.rejected', data: { name: 'POLICY.md', reason: looked.reason } });
}

function pagesOf(home: Home, stores: Stores, engine: Engine): ApprovalPages {
  return approvalPages({
    folder: join(home.oka, 'approvals'),
    open: () => openApprovals(stores),
    answer: (open, answer) => engine.answer(open.run, open.wait, answer),
    refuse: (wait, reason) => stores.ledger.append({ type: 'answer.refused', data: { wait, reason } }),
    clock: Date.now,
  });
}

/** H2: recorded first, then the file goes, then it is acted on; acting needs nothing but the ledger. */
async function takeIn(folder: string, taken: Taken, host: Host): Promise<void> {
  const { stores } = host;
  if (stores.projections.stateOf(receivedIntakes).ids.includes(taken.id)) return finish(folder, taken);
  const { ledger } = stores;
  if ('reason' in taken) {
    await ledger.append({ type: 'intake.rejected', data: { name: taken.name, reason: taken.reason } });
    return finish(folder, taken);
  }
  await ledger.append({ type: 'intake.received', data: { id: taken.id, intake: taken.intake } });
  finish(folder, taken);
  try {
    await act(taken.intake, host);
  } catch (error) {
    await ledger.append({ type: 'intake.rejected', data: { name: taken.name, reason: messageOf(error) } });
  }
}

/** Does what a request asks for. Returns the drive that it sets going, if any. */
export async function act(
  intake: Intake,
  {
    engine,
    stores,
    config,
    shadow,
    deps,
    tidying,
    pendingResults,
    writeResult,
  }: Pick<Host, 'engine' | 'stores' | 'config' | 'shadow'> &
    Partial<Pick<Host, 'deps' | 'tidying' | 'pendingResults' | 'writeResult'>>,
): Promise<Drive | null> {
  switch (intake.kind) {
    case 'answer':
      await assertAnswer(stores, intake.wait, intake.answer, Date.now());
      return engine.answer(runOfWait(intake.wait, stores), intake.wait, intake.answer);
    case 'cancel':
      await engine.stop(intake.run, { kind: 'cancel', reason: 'cancelled by a person' });
      if (pendingResults?.runs().includes(intake.run)) await writeResult?.(intake.run); // it was at rest before
      return null;
    case 'pause':
      await engine.stop(intake.run, { kind: 'pause', reason: 'paused by a person' });
      return null;
    case 'resume':
      return engine.resume(intake.run, { reason: 'resumed by a person' });
    case 'undo':
      await undo({ engine, stores, shadow }, intake.run);
      return null;
    case 'remember':
    case 'forget':
    case 'import':
      await recordMemory(intake, stores);
      return null;
    case 'resolve':
      deps?.resolveSoon(intake.name, intake.by ?? 'a person');
      return null;
    case 'install':
      return (await deps?.install(intake.what)) ?? null;
    case 'remove':
      return (await deps?.remove(intake.what, intake.reason ?? 'a person asked for it')) ?? null;
    case 'tick':
    case 'procedure':
    case 'take_back':
      return null; // maintenance finds it in the ledger
    case 'tidy':
      tidying?.ask(intake);
      return null;
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
