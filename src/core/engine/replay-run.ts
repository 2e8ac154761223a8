/**
 * Owns: going through a run again. No model is asked.
 *
 * decision  decides again from every prefix of the events and reports the first step that differs
 * full      executes idempotent tools again and compares what they give; for the rest the recorded outcome counts
 */
import { hash } from 'node:crypto';
import { STEP_CHECK } from '../schema/acceptance.ts';
import { ERROR_DECIDE } from '../schema/error-handling.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { Json } from '../schema/json.ts';
import type { ToolRegistry } from '../schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../schema/tool.ts';
import { unboundCall } from './call-bounds.ts';
import { decide, type ToolLookup } from './decide.ts';
import { applyEvent, runFromStart } from './fold-run.ts';
import type { Plan } from './graph-plan.ts';
import { nodeNamed, type RunState } from './run-state.ts';
import { stepEvent } from './step-events.ts';

type Difference = { seq: number; found: Json; decided: Json[] };
export type DecisionReplay = { events: number; decided: number; difference: Difference | null };

export function replayDecisions(plan: Plan, events: readonly Event[], tools: ToolLookup): DecisionReplay {
  const [first, ...rest] = events;
  const run = first === undefined ? null : runFromStart(plan, first);
  if (run === null) throw new Error('a run begins with run.started');
  let decided = 0;
  for (const event of rest) {
    if (isDecided(run, event)) {
      decided += 1;
      const possible = possibleIn(run, asRecorded(tools, event));
      if (!possible.some((each) => sameStep(each, event)))
        return {
          events: events.length,
          decided,
          difference: {
            seq: event.seq,
            found: { type: event.type, data: event.data } as Json,
            decided: possible.map(({ type, data }) => ({ type, data }) as Json),
          },
        };
    }
    applyEvent(run, event);
  }
  return { events: events.length, decided, difference: null };
}

/** Whether the engine itself decided this; everything else came from outside: outcomes, answers, planners, people. */
function isDecided(run: RunState, event: Event): boolean {
  if (event.type === 'wait.opened') return event.data.for.kind !== 'turn';
  if (event.type === 'error.handled') return true;
  if (event.type === 'run.ended') return event.data.status !== 'cancelled';
  const isOwn = event.type === 'call.started' && event.data.node === null;
  if (isOwn && (event.data.tool === STEP_CHECK || event.data.tool === ERROR_DECIDE)) return true;
  if (event.type === 'call.started')
    return (
      event.data.node !== null &&
      event.data.call.startsWith(`${run.id}.`) &&
      (event.data.together === true || !isRetry(run, event.data.node, event.data.attempt))
    );
  return (
    event.type === 'node.settled' &&
    !/^((kept|reused) from run|((fallback|continued) after: )?the (planner failed|model could not be asked))/.test(
      event.data.reason,
    )
  );
}

/** A further attempt within one call is the chain's, not the engine's. */
function isRetry(run: RunState, name: string, attempt: number): boolean {
  const index = nodeNamed(run, name) ?? -1;
  const node = run.nodes[index];
  return (
    node !== undefined &&
    run.active.has(index) &&
    node.open === null &&
    node.status === 'running' &&
    attempt === node.attempt + 1 &&
    !run.ready.has(index)
  );
}

function possibleIn(run: RunState, tools: ToolLookup): NewEvent[] {
  return decide(run, tools).flatMap((step) => (step.kind === 'Think' ? [] : [stepEvent(run, step)]));
}

/** The class a call had when it was made is part of what happened, not of what is decided again. */
function asRecorded(tools: ToolLookup, event: Event): ToolLookup {
  if (event.type !== 'call.started') return tools;
  const { class: recorded, tool } = event.data;
  const unknown = {
    annotations: { read_only: false, destructive: false, idempotent: false, cacheable: false, risk: 'high' as const },
    targets: [],
  };
  return (name) => (name === tool ? { ...(tools(name) ?? unknown), classOf: () => recorded } : tools(name));
}

function sameStep(step: NewEvent, event: Event): boolean {
  const [decided, found] = [step.data, event.data].map((data) => JSON.stringify(normalize(comparable(data as Json))));
  return step.type === event.type && decided === found;
}

/**
 * What an event says about other nodes, for readers, whether reads of earlier versions were made one by one, and what a
 * call was judged to do when it was made.
 */
function comparable(data: Json): Json {
  const { restarts: _, together: __, judged: ___, once: ____, repeats: _____, ...rest } = data as Record<string, Json>;
  return rest;
}

/** Fields in one order, defaults that validation adds left out. */
function normalize(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(normalize);
  const fields = Object.entries(value).filter(
    ([, field]) => field !== undefined && field !== null && !(Array.isArray(field) && field.length === 0),
  );
  return Object.fromEntries(
    fields.map(([key, field]) => [key, normalize(field)] as const).toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

export type Compared = {
  call: string;
  tool: string;
  state: 'same' | 'differs' | 'recorded';
  recorded: string;
  now: string | null;
};

/** `tools` act in a scratch copy. */
export async function replayFully(
  events: readonly Event[],
  tools: Pick<ToolRegistry, 'get'>,
  signal: AbortSignal,
): Promise<Compared[]> {
  const started = new Map<string, Extract<Event, { type: 'call.started' }>>();
  const compared: Compared[] = [];
  for (const event of events) {
    if (event.type === 'call.started') started.set(event.data.call, event);
    const call = event.type === 'call.ended' ? started.get(event.data.call) : undefined;
    if (event.type !== 'call.ended' || call === undefined || event.data.status === 'waiting') continue;
    compared.push(await repeatCall(call, event, tools.get(call.data.tool), signal));
  }
  return compared;
}

async function repeatCall(
  started: Extract<Event, { type: 'call.started' }>,
  ended: Extract<Event, { type: 'call.ended' }>,
  tool: Tool | undefined,
  signal: AbortSignal,
): Promise<Compared> {
  const { call, tool: name, class: effect } = started.data;
  const recorded = outcomeHash(ended.data.status, ended.data.output);
  const repeatable =
    tool !== undefined &&
    effect !== 'external_mutation' &&
    effect !== 'deny' &&
    (tool.annotations.idempotent || tool.annotations.read_only);
  if (!repeatable) return { call, tool: name, state: 'recorded', recorded, now: null };
  const outcome = await tool
    .invoke(started.data.input, replayedCall(started, signal))
    .catch((error: unknown): Outcome => ({ status: 'failed', error: String(error) }));
  const now = outcomeHash(outcome.status, outcome.status === 'ok' ? outcome.output : null);
  return { call, tool: name, state: now === recorded ? 'same' : 'differs', recorded, now };
}

function replayedCall({ run, data }: Extract<Event, { type: 'call.started' }>, signal: AbortSignal): ToolCall {
  const { node, call, attempt, tool, input, key } = data;
  return unboundCall(
    { run: run ?? '', node, call, attempt, tool, class: data.class, input, key: key ?? null, signal },
    null,
  );
}

function outcomeHash(status: string, output: Json): string {
  return hash('sha256', JSON.stringify([status, output]));
}
