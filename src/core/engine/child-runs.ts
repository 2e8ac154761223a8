/**
 * Owns: starting a run inside another, awaiting its end, and notifying its parent.
 * Does not own: their names, what they may spend and what their end means (child-terms.ts).
 */
import { OkaError } from '../schema/errors.ts';
import type { Graph } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { Budgets } from '../schema/run.ts';
import type { ToolCall } from '../schema/tool.ts';
import { endsAlone } from '../schema/wait.ts';
import { accountLeft } from './account.ts';
import { answerFromChild, childIdOf, failedChildOf, isInputGiven, shareOfBudget } from './child-terms.ts';
import type { EngineContext } from './engine-context.ts';
import { assertFits } from './linked-run.ts';
import { findRun } from './load-run.ts';
import { answerWait, continueAfterFailure, onDeskOf, resumeRun, startRun } from './run-control.ts';
import { turnInside, turnOf } from './run-turns.ts';
import { ignoreTooLate } from './run-registry.ts';
import { isOver, type RunState } from './run-state.ts';
import type { StartOptions } from './step-events.ts';

const DEEPEST = 8;

/** Gives the id of the child, which derives from node, visit and turn: repeating the call finds the same run. */
export async function startChild(
  context: EngineContext,
  graphId: string,
  input: Json,
  call: ToolCall,
): Promise<string> {
  const { options, registry } = context;
  const found = await options.graphs?.(graphId);
  if (found === undefined) throw new OkaError('invalid-graph', `there is no graph "${graphId}"`);
  const parent = registry.drives.get(call.run)?.run;
  const graph = inModeOf(parent, onDeskOf(parent, found));
  const depth = (parent?.depth ?? 0) + 1;
  const budgets = childBudgets(context, graph, parent, call, depth);
  const id = childIdOf(call, parent);
  if (registry.drives.has(id) || (await findRun(context, id, parent?.ledger.first)) !== null) return id;
  const failed = await failedBefore(context, parent, call, { graph: graph.id, input });
  const turn = turnInside(turnOf(graph, input), runsAround(context, parent));
  const given = isInputGiven(parent, call, graphId);
  const request = { id, input, isInputGiven: given, parent: call.run, depth, budgets, turn };
  if (failed === null) await startRun(context, graph, request, parent?.notes);
  else await continueChild(context, failed, graph, request);
  return id;
}

/** A run that starts another one, and those that it is inside of; all of them are driven. */
function runsAround(context: EngineContext, run: RunState | undefined): RunState[] {
  if (run === undefined) return [];
  return [run, ...runsAround(context, context.registry.drives.get(run.parent ?? '')?.run)];
}

/** What runs inside a strict run is strict, too, or cannot run there. */
function inModeOf(parent: RunState | undefined, graph: Graph): Graph {
  return parent?.mode === 'strict' && graph.mode !== 'strict' ? { ...graph, mode: 'strict' } : graph;
}

function childBudgets(
  { options, registry }: EngineContext,
  graph: Graph,
  parent: RunState | undefined,
  { left }: ToolCall,
  depth: number,
): Budgets {
  const deepest = Math.min(DEEPEST, parent?.budgets.depth ?? DEEPEST);
  if (depth > deepest) throw new OkaError('invalid-graph', `runs may be nested at most ${deepest} deep`);
  const account = registry.accounts.get(parent?.id ?? '');
  // Seconds by the call: the clock may have been set since the last event of the run around.
  const has = account && { ...accountLeft(account, options.clock()), seconds: left().seconds };
  const share = has === undefined ? {} : shareOfBudget(has, graph);
  return { ...share, depth: Math.min(deepest, graph.budgets.depth ?? DEEPEST) };
}

/** A child that had failed is continued with its graph as it is now, if what it has done fits that. */
async function continueChild(
  context: EngineContext,
  failed: RunState,
  graph: Graph,
  request: StartOptions,
): Promise<void> {
  const plan = await context.plans.planGraph(graph);
  assertFits(failed, plan);
  const link = { kind: 'resume', run: failed.id } as const;
  continueAfterFailure(context, failed, { ...request, link }, plan.sha256 === failed.plan.sha256 ? failed.plan : plan);
}

/** Where a run that continues a failed one starts a child again that had failed, that child is continued, too. */
async function failedBefore(
  context: EngineContext,
  parent: RunState | undefined,
  call: ToolCall,
  { graph, input }: { graph: string; input: Json },
): Promise<RunState | null> {
  if (parent === undefined || (parent.link !== null && parent.link.kind !== 'resume')) return null;
  const source = parent.link?.run ?? parent.parent;
  const continued = source === null ? null : await findRun(context, source);
  if (continued === null || (parent.link === null && continued.plan.sha256 !== parent.plan.sha256)) return null;
  const name = failedChildOf(continued, call.node) ?? childIdOf({ ...call, run: continued.id }, continued);
  const child = await findRun(context, name);
  if (child?.status !== 'failed' || child.plan.graph.id !== graph) return null;
  return JSON.stringify(child.input) === JSON.stringify(input) ? child : null;
}

/** A parent that has come to rest, because its child had to wait for a person, goes on when the child is over. */
export async function notifyParent(context: EngineContext, child: RunState, id: string): Promise<void> {
  const parent = await findRun(context, id);
  if (parent === null || isOver(parent.status)) return;
  for (const wait of parent.waits.values())
    if (wait.for.kind === 'child' && wait.for.run === child.id)
      await answerWait(context, id, wait.wait, answerFromChild(child, wait.for.any_end)).catch(ignoreTooLate);
}

/** A child that was stopped with its parent goes on with it, unless only a person can make it go on. */
export async function endOfChild(context: EngineContext, id: string): Promise<RunState | null> {
  const running = context.registry.drives.get(id);
  const isPausing = running?.isPausing() === true; // with its parent, which goes on before the child has paused
  const ended = await running?.done;
  if (ended !== undefined && !(isPausing && ended.status === 'paused')) return ended;
  const state = await findRun(context, id);
  if (state === null || isOver(state.status) || (state.status === 'blocked' && !endsByItself(state))) return state;
  return (await resumeRun(context, id, { reason: 'its parent goes on' })).done;
}

/** Whether anything that a run waits for ends without a person. */
function endsByItself({ waits }: RunState): boolean {
  return [...waits.values()].some(({ for: awaited }) => endsAlone(awaited));
}
