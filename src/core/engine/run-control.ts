/** Owns: starting, resuming and answering a run. Stopping it and notes to it: run-signals.ts; runs inside others: child-runs.ts. */
import { OkaError } from '../schema/errors.ts';
import type { NewEvent } from '../schema/event.ts';
import type { Graph } from '../schema/graph.ts';
import type { RunNote } from '../schema/run.ts';
import type { WaitAnswer } from '../schema/wait.ts';
import { closeAccount, openAccount, restAccount } from './account.ts';
import { isInside } from './child-terms.ts';
import { withEffects } from './effects.ts';
import { type Drive, drive } from './drive.ts';
import type { EngineContext } from './engine-context.ts';
import { applyEvent, runFromStart } from './fold-run.ts';
import { findRun, loadRun } from './load-run.ts';
import type { Plan } from './graph-plan.ts';
import { assertFits, carryOver, completeCarryOver, linkedState, type LinkedStart } from './linked-run.ts';
import { awaitTurnEvent, hasTurn, isAwaitingTurn } from './run-turns.ts';
import { opening } from './run-registry.ts';
import { isOver, type NodeState, openCallsOf, type RunState } from './run-state.ts';
import { downtime } from './work-time.ts';
import { toSnapshot } from './snapshot.ts';
import { assertInput } from './data-contract.ts';
import { waitClosedEvent, outcomeEvent, startEvent, type StartOptions } from './step-events.ts';

/** `notes` of the run around it are the first that a run inside gets. */
export async function startRun(
  context: EngineContext,
  graph: Graph,
  request: StartOptions,
  notes: readonly string[] = [],
): Promise<Drive> {
  assertInput(graph, request.input ?? null);
  const { plans, registry, tools } = context;
  await plans.storeTools();
  const plan = await plans.planGraph(graph);
  const running = registry.drives.get(request.id);
  if (running !== undefined) return running;
  const given = { date: localDate(context.options.clock()), ...request };
  const run = runFromStart(plan, registry.stage(startEvent(graph, plan.sha256, given, tools.version())));
  for (const text of notes) if (run !== null) applyEvent(run, registry.stage(noteEvent(request.id, { text })));
  return beginDrive(context, run);
}

/** The day on which a moment falls, where this process is. */
function localDate(ms: number): string {
  const at = new Date(ms);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

export type ResumeRequest = {
  /** Name of the run that continues this one, if it failed. */
  newId?: string;
  reason?: string;
};

/** Continues a run; one that failed is continued by a new run (G2, G3). */
export async function resumeRun(context: EngineContext, id: string, request: ResumeRequest = {}): Promise<Drive> {
  const { registry } = context;
  if (request.newId === id) throw new OkaError('usage', `run ${id} cannot be continued under its own name`);
  const opened = registry.openings.get(id);
  if (opened !== undefined) return opened.then(() => resumeRun(context, id, request));
  const running = registry.drives.get(id);
  if (running !== undefined) return isEnding(context, running) ? resumeAtEnd(context, running, request) : running;
  return opening(registry, id, async () => {
    const run = await loadIdleRun(context, id);
    if (run.status === 'failed') return continueUnder(context, run, request.newId ?? `${id}-again`);
    if (isOver(run.status)) throw new OkaError('run-is-over', `run ${id} is ${run.status}; there is nothing to resume`);
    return goOn(context, run, request.reason ?? 'resumed');
  });
}

/** Whether a drive is about to end: it pauses, or it waits for a run inside that pauses or that nobody drives. */
function isEnding({ registry }: EngineContext, running: Drive): boolean {
  if (running.isPausing()) return true;
  return [...running.run.waits.values()].some(({ for: awaited }) => {
    if (awaited.kind !== 'child' || registry.openings.has(awaited.run)) return false;
    return registry.drives.get(awaited.run)?.isPausing() !== false;
  });
}

/** Resumes a run when its drive has ended without being over; what a process that ends has stopped stays stopped. */
function resumeAtEnd(context: EngineContext, running: Drive, request: ResumeRequest): Drive {
  const done = running.done.then(async (run) =>
    run.status === 'paused' || run.status === 'blocked' ? (await resumeRun(context, run.id, request)).done : run,
  );
  done.catch(() => undefined); // whoever asked may have gone
  return { ...running, done };
}

/** The drive of a run that has nothing to do. */
export const settledDrive = (run: RunState): Drive => ({
  run,
  done: Promise.resolve(run),
  post: () => false,
  stop: () => false,
  isPausing: () => false,
});

/** A run that nobody drives. Events are about to be staged for it, and the time since its last one was no work. */
export async function loadIdleRun(context: EngineContext, id: string): Promise<RunState> {
  const run = await loadRun(context, id);
  const skipped = downtime(run, context.options.clock());
  return skipped === null ? run : applyEvent(run, context.registry.stage(skipped));
}

async function continueUnder(context: EngineContext, failed: RunState, id: string): Promise<Drive> {
  if ((await findRun(context, id)) !== null) return resumeRun(context, id);
  await context.plans.storeTools();
  return continueAfterFailure(context, failed, {
    id,
    parent: failed.id,
    link: { kind: 'resume', run: failed.id },
    depth: failed.depth,
    budgets: failed.budgets,
  });
}

/** A new run that starts with what the failed one has done; of the same graph, or of one that fits it. */
export function continueAfterFailure(
  context: EngineContext,
  failed: RunState,
  request: StartOptions,
  plan: Plan = failed.plan,
): Drive {
  const { title, input, isInputGiven } = failed;
  const given = { title, ...request, input, isInputGiven };
  return startFrom(context, failed, plan, given, plan === failed.plan ? failed.checksAcceptance : undefined);
}

/** Starts a run that is made from an earlier one (linked-run.ts). Of several that ask for one name the first has it. */
export async function startLinkedRun(context: EngineContext, request: LinkedStart): Promise<Drive> {
  const { openings } = context.registry;
  while (openings.has(request.id)) await Promise.allSettled([openings.get(request.id)]);
  return opening(context.registry, request.id, () => openLinkedRun(context, request));
}

async function openLinkedRun(context: EngineContext, { id, link, graph }: LinkedStart): Promise<Drive> {
  const { plans, registry } = context;
  const source = await loadRun(context, link.run);
  if (link.kind === 'resume' && source.status !== 'failed')
    throw new OkaError('run-is-over', `run ${source.id} is ${source.status}; only a run that failed is resumed so`);
  const state = await linkedState(context, link);
  await plans.storeTools();
  const isSame = graph === undefined;
  const plan = isSame ? source.plan : await plans.planGraph(link.kind === 'resume' ? onDeskOf(source, graph) : graph);
  if (state !== null) assertFits(state, plan);
  if ((await findRun(context, id)) !== null || registry.drives.has(id))
    throw new OkaError('usage', `there is a run "${id}" already, and a name means one run`);
  const { title, input, isInputGiven, budgets } = source;
  const around = link.kind === 'resume' ? { parent: source.id, depth: source.depth } : {};
  const request = { id, link, title, input, isInputGiven, budgets, ...around };
  return startFrom(context, state, plan, request, isSame ? source.checksAcceptance : undefined);
}

/** A graph that is run inside a fork, or continues one, works in the same copy of the desk. */
export function onDeskOf(around: RunState | undefined, graph: Graph): Graph {
  const desk = around?.plan.graph.desk;
  return desk === undefined ? graph : { ...graph, desk };
}

function startFrom(
  context: EngineContext,
  source: RunState | null,
  plan: Plan,
  request: StartOptions,
  checksAcceptance?: boolean,
): Drive {
  const { registry, tools } = context;
  const given = { date: source?.date ?? localDate(context.options.clock()), ...request };
  const event = startEvent(plan.graph, plan.sha256, given, tools.version(), checksAcceptance);
  const next = runFromStart(plan, registry.stage(event));
  if (next === null) throw new Error('a run begins with run.started');
  if (source !== null) carryOver(context, source, next);
  return beginDrive(context, next);
}

async function goOn(context: EngineContext, run: RunState, reason: string): Promise<Drive> {
  await openAccountsAround(context, run);
  await completeCarryOver(context, run);
  await askWitness(context, run);
  await context.plans.storeTools();
  applyEvent(
    run,
    context.registry.stage({ type: 'run.resumed', run: run.id, data: { reason, tools: context.tools.version() } }),
  );
  return beginDrive(context, run);
}

/** The runs around a run that goes on, and the runs that they wait for, have spent what they have spent (account.ts). */
async function openAccountsAround(context: EngineContext, run: RunState): Promise<void> {
  const { accounts } = context.registry;
  if (run.parent !== null && isInside({ run: run.id, parent: run.parent }) && !accounts.has(run.parent)) {
    const parent = await findRun(context, run.parent);
    if (parent !== null) await openAccountsAround(context, parent);
  }
  const account = openAccount(accounts, run);
  const awaited = [...run.waits.values()].flatMap(({ for: each }) => (each.kind === 'child' ? [each.run] : []));
  for (const [id, child] of account.children) if (!awaited.includes(id)) closeAccount(child);
  for (const id of awaited) {
    const child = account.children.has(id) ? null : await findRun(context, id);
    if (child !== null) openAccount(accounts, child);
  }
}

/** Every call that was in flight gets an outcome: what a witness saw, or that nobody did, which puts it in doubt. */
async function askWitness({ options, registry }: EngineContext, run: RunState): Promise<void> {
  for (const [index, node] of run.nodes.entries()) {
    if (node.check !== null) endCheck(node.check.call);
    for (const open of openCallsOf(node)) {
      const seen = (await options.witness?.(run.id, open)) ?? null;
      const outcome = seen ?? { status: 'cancelled', error: 'work stopped, and nobody saw how it ended' };
      const call = { call: open.call, node: run.configs[index]?.id ?? '' };
      applyEvent(run, registry.stage(outcomeEvent(run, call, outcome, false)));
    }
  }

  function endCheck(call: string): void {
    const stopped = { status: 'cancelled', error: 'work stopped; the check is made again' } as const;
    applyEvent(run, registry.stage(outcomeEvent(run, { call, node: null }, stopped, false)));
  }
}

/** Closes a wait; the run goes on if it was waiting only for this, and stays paused if it was. */
export async function answerWait(context: EngineContext, id: string, wait: string, answer: WaitAnswer): Promise<Drive> {
  const { registry, events } = context;
  const again = (): Promise<Drive> => answerWait(context, id, wait, answer);
  const opened = registry.openings.get(id);
  if (opened !== undefined) return opened.then(again);
  const running = registry.drives.get(id);
  if (running?.post(waitClosedEvent(running.run, wait, answer)) === true) return running;
  if (running !== undefined) return running.done.then(again);
  return opening(registry, id, async () => {
    const run = await loadIdleRun(context, id);
    applyEvent(run, registry.stage(withEffects(run, waitClosedEvent(run, wait, answer))));
    if (run.status !== 'paused') return goOn(context, run, 'a wait was closed');
    await events.flush(registry.takeUnflushed(run.id));
    return settledDrive(run);
  });
}

export const noteEvent = (run: string, note: RunNote): NewEvent => ({ type: 'note.received', run, data: note });

/** Drives a run and registers the drive until what follows from its end is done. */
function beginDrive(context: EngineContext, run: RunState | null): Drive {
  const { options, world, registry } = context;
  if (run === null) throw new Error('a run begins with run.started');
  const isHeld = options.hold?.isOn() === true;
  const account = openAccount(registry.accounts, run);
  const before = isHeld ? undefined : beforeFirstStep(context, run);
  const started = drive(run, world, account, registry.takeUnflushed(run.id), before);
  if (isHeld) started.stop({ kind: 'stop', reason: 'everything is stopped' }); // before its loop has begun
  const done = started.done.then((ended) => afterDrive(context, ended));
  const unregister = (): void => {
    registry.drives.delete(run.id);
    restAccount(registry.accounts, run);
    if (isHeld) options.hold?.onHeldBack();
    if (run.turn !== null) resumeWaiting(context, run);
  };
  registry.drives.set(run.id, { ...started, done });
  done.then(unregister, unregister);
  return { ...started, done };
}

/** What comes before the first step of a run that has done nothing yet. */
function beforeFirstStep(context: EngineContext, run: RunState): (() => Promise<NewEvent | null>) | undefined {
  const { options, hooks } = context;
  const isUntouched = run.nodes.every(isUntried);
  const isNew = options.hooks?.before_run !== undefined && isUntouched;
  const mayWait = run.turn !== null && isUntouched && !isAwaitingTurn(run);
  if (!isNew && !mayWait) return undefined;
  return async () => (isNew ? await hooks.beforeRun(run) : null) ?? (mayWait ? turnWaitFor(context, run) : null);
}

/** The wait of a run that begins while others with its key are at work; null when it is its turn. */
async function turnWaitFor({ events, turns }: EngineContext, run: RunState): Promise<NewEvent | null> {
  await events.flush(); // runs that began before it are known when they are durable
  return run.turn === null || hasTurn(turns, run) ? null : awaitTurnEvent(run, run.turn);
}

/** Called when a run that takes turns has no drive any more: those whose turn has come go on, itself among them (T2). */
export function resumeWaiting(context: EngineContext, { turn }: RunState): void {
  const { turns, registry, options } = context;
  if (turn === null || options.hold?.isOn() === true) return;
  for (const id of turns.open(turn.key).slice(0, turn.at_once))
    if (!registry.drives.has(id)) void resumeTurn(context, id).catch(() => undefined);
}

async function resumeTurn(context: EngineContext, id: string): Promise<void> {
  const run = await findRun(context, id);
  if (run === null || run.status !== 'blocked' || !isAwaitingTurn(run)) return;
  await (await resumeRun(context, id, { reason: 'its turn has come' })).done;
}

function isUntried({ attempt, waited, agent }: NodeState): boolean {
  return attempt === 0 && waited === 0 && agent === null;
}

async function afterDrive(context: EngineContext, run: RunState): Promise<RunState> {
  const { hooks, stores, options } = context;
  if (isOver(run.status)) await hooks.afterRun(run);
  else await stores.runs?.save(run.id, { seq: run.ledger.last, state: toSnapshot(run) });
  if (isOver(run.status) && run.parent !== null) await context.onChildEnd(run, run.parent);
  await options.runSettled?.(run);
  return run;
}
