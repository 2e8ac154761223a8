/** What a run did and why, from its events alone. The same from a ledger or from memory. */
import { foldGoal } from '../../core/ledger/goal.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import type { SideEffectClass } from '../../core/schema/effect.ts';
import type { RunLink } from '../../core/schema/run.ts';
import { describeLink } from './event-sentence.ts';
import { TaskGiven } from '../../core/schema/task-run.ts';
import type { ArtifactRef, OutcomeStatus } from '../../core/schema/tool.ts';
import type { WaitFor } from '../../core/schema/wait.ts';

type Action = {
  seq: number;
  call: string;
  node: string | null;
  attempt: number;
  /** It repeats the attempt before it. */
  repeats?: true;
  tool: string;
  class: SideEffectClass;
  input: Json;
  status: OutcomeStatus | 'open';
  error: string | null;
  ms: number | null;
};
type Rationale = { seq: number; node: string; turn: number; decision: string; why: string };
type Ended = Extract<Event, { type: 'call.ended' }>;
type Moment = { seq: number; at: string; what: string; why: string };

type Explanation = {
  run: string;
  title: string;
  status: string;
  /** The earlier run that it was made from. */
  link?: RunLink;
  timeline: Moment[];
  actions: Action[];
  rationales: Rationale[];
  artifacts: ArtifactRef[];
};

export function explainRun(events: readonly Event[]): Explanation {
  const explanation: Explanation = {
    run: events[0]?.run ?? '',
    title: '',
    status: 'running',
    timeline: [],
    actions: [],
    rationales: [],
    artifacts: [],
  };
  const open = new Map<string, { action: Action; at: number }>();
  for (const event of events) {
    addMoment(explanation, event);
    if (event.type === 'call.ended') addChoice(explanation, event, open.get(event.data.call)?.action.tool);
    addAction(explanation, event, open);
    if (event.type === 'decision.made') explanation.rationales.push(rationaleOf(event));
    if (event.type === 'call.ended') explanation.artifacts.push(...(event.data.artifacts ?? []));
  }
  explanation.status = foldGoal(events)?.status ?? 'running';
  return explanation;
}

const HANDLED = {
  retry: 'tried again after an error',
  wait: 'waits after an error',
  fallback: 'continues with its fallback after an error',
  skip: 'left out after an error',
  fail: 'failed for good',
} as const;

function addMoment(explanation: Explanation, event: Event): void {
  const note = (what: string, why: string): void =>
    void explanation.timeline.push({ seq: event.seq, at: event.at, what, why });
  if (event.type === 'run.started') {
    explanation.title = event.data.title;
    if (event.data.link !== undefined) explanation.link = event.data.link;
    note(event.data.state, whyStarted(event.data));
    for (const grant of describeGrants(event.data.input)) note('opened', grant);
  } else if (event.type === 'run.moved') note(event.data.to, event.data.reason);
  else if (event.type === 'run.paused') note('paused', event.data.reason);
  else if (event.type === 'note.received')
    note('note', event.data.text + (event.data.stop_after_step === true ? ' (stop after this step)' : ''));
  else if (event.type === 'run.resumed') note('resumed', event.data.reason);
  else if (event.type === 'wait.opened') note(...awaitedBy(event.data.for, event.data.node));
  else if (event.type === 'wait.closed')
    note(event.data.answer.verdict, event.data.answer.text ?? event.data.node ?? '');
  else if (event.type === 'decision.made' && event.data.decision.kind === 'Transition')
    note(`${event.data.node}: ${event.data.decision.to}`, event.data.decision.rationale);
  else if (event.type === 'node.settled') note(`${event.data.node} ${event.data.status}`, event.data.reason);
  else if (event.type === 'error.handled')
    note(`${event.data.node}: ${HANDLED[event.data.action]} (by ${event.data.by})`, event.data.reason);
  else if (event.type === 'run.ended') {
    note(event.data.status, event.data.reason);
  }
}

/** The hosts that a person's task opens, each with where it does. */
function describeGrants(input: Json): string[] {
  const task = TaskGiven.safeParse(input).data;
  if (task === undefined || task.fields.from_chat !== undefined) return [];
  return (task.fields.hosts ?? []).map((each) => {
    const { host, send = false } = typeof each === 'string' ? { host: each } : each;
    return `${host}${send ? ' (also to send)' : ''}: from \`hosts:\` of the task`;
  });
}

/** Which branch a model chose and why, or that it was the default because the model did not choose. */
function addChoice({ timeline }: Explanation, { seq, at, data }: Ended, tool: string | undefined): void {
  const { node, status, output, error = '', settles } = data;
  if (tool !== 'model.choose' || node === null || data.retried === true) return;
  const [branch, reason, by] = ['branch', 'reason', 'by'].map((field) => jsonField(output, field));
  if (status === 'ok' && typeof branch === 'string')
    timeline.push({
      seq,
      at,
      what: `${node}: branch ${branch}${by === 'default' ? ' (the default)' : ''}`,
      why: typeof reason === 'string' ? reason : '',
    });
  else if (settles === 'done') timeline.push({ seq, at, what: `${node}: the default branch`, why: error });
}

function whyStarted({ link, parent }: Extract<Event, { type: 'run.started' }>['data']): string {
  if (link !== undefined) return describeLink(link);
  return parent === null ? 'started' : `started by run ${parent}`;
}

function awaitedBy(awaited: WaitFor, node: string | null): [what: string, why: string] {
  return awaited.kind === 'turn'
    ? ['waits for its turn', `at most ${awaited.at_once} of ${awaited.key} at once`]
    : [`waits for ${awaited.kind}`, node ?? ''];
}

function addAction(explanation: Explanation, event: Event, open: Map<string, { action: Action; at: number }>): void {
  if (event.type === 'call.started') {
    const { call, node, attempt, tool, input } = event.data;
    const started: Action = {
      seq: event.seq,
      call,
      node,
      attempt,
      tool,
      class: event.data.judged ?? event.data.class,
      ...(event.data.repeats === true ? { repeats: true } : {}),
      input,
      status: 'open',
      error: null,
      ms: null,
    };
    explanation.actions.push(started);
    open.set(call, { action: started, at: Date.parse(event.at) });
  } else if (event.type === 'call.ended') {
    const started = open.get(event.data.call);
    if (started !== undefined)
      Object.assign(started.action, {
        status: event.data.status,
        error: event.data.error ?? null,
        ms: Math.max(0, Date.parse(event.at) - started.at),
      });
    open.delete(event.data.call);
  } else if (event.type === 'run.time_skipped') for (const started of open.values()) started.at += event.data.ms;
}

function rationaleOf({ seq, data }: Extract<Event, { type: 'decision.made' }>): Rationale {
  return { seq, node: data.node, turn: data.turn, decision: data.decision.kind, why: data.decision.rationale };
}
