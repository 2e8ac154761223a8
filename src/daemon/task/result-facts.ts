/** The contents of RESULT.md, folded from the events of a task's run and of the runs inside it. Pure. */
import { summarizeApproval } from '../../guard/approval-summary.ts';
import type { ResultFacts, ResultStep } from '../../roles/result-content.ts';
import { finalAnswerIn } from './final-answer.ts';
import { hostsContacted } from './hosts-contacted.ts';
import { STEP_CHECK } from '../../schema/acceptance.ts';
import type { Event } from '../../schema/event.ts';
import type { Json } from '../../schema/json.ts';
import { Planned } from '../../schema/task-run.ts';
import type { ArtifactRef } from '../../schema/tool.ts';
import type { WaitFor } from '../../schema/wait.ts';
import type { Changes } from '../../tools/desk/desk-changes.ts';

const LONGEST_SHOWN = 8000;

/** `own` are the events of the task's run; `steps` those of the runs of its plans, the latest last. */
export function foldResultFacts(
  own: readonly Event[],
  steps: readonly (readonly Event[])[],
  files: Changes,
): ResultFacts | null {
  const started = own.find((event) => event.type === 'run.started');
  if (started === undefined || started.run === null) return null;
  const ended = own.findLast((event) => event.type === 'run.ended');
  const judged = own.findLast((event) => event.type === 'run.judged');
  const all = [...own, ...steps.flat()];
  const last = ended ?? own.at(-1) ?? started;
  const isPlannedSince = own.some(({ type, data, seq }) => isPlanCall(type, data) && seq > (judged?.seq ?? 0));
  const questions = openQuestions(all);
  const verdict =
    ended === undefined
      ? stateOfOpen(own, steps, questions)
      : verdictOf(ended.data.status, isPlannedSince ? undefined : judged?.data.verdict);
  return {
    run: started.run,
    title: started.data.title,
    verdict,
    reason: verdict === 'done' ? '' : (withoutNode(ended?.data.reason, started.data.nodes) ?? ''),
    task: nameIn(started.data.input) ?? started.data.title,
    started: started.at,
    ended: last.at,
    ...answerIn(steps.at(-1) ?? []),
    steps: steps.flatMap((events, index) =>
      stepsOf(events)
        .map((step) => (index < steps.length - 1 ? superseded(step) : step))
        .map((step) => (ended === undefined ? step : afterEnd(step))),
    ),
    ...replacedIn(own),
    criteria: judged?.data.criteria ?? [],
    files,
    undo: { possible: all.some(({ type }) => type === 'desk.kept'), without: skippedIn(all) },
    ...undoneIn(all),
    hosts: hostsContacted(all),
    artifacts: artifactsIn(all).map(({ name, bytes, sha256 }) => ({
      name: name ?? sha256.slice(0, 12),
      bytes,
      sha256,
    })),
    cost: costOf(all),
    model: modelIn(all),
    ...procedureIn(own),
    questions,
    next: [
      ...(verdict === 'failed' && hasLastAnswerFailed(all.toSorted((a, b) => a.seq - b.seq))
        ? [{ text: 'Check the model', command: 'oka model test' }]
        : []),
      ...nextOf(verdict, started.run, { questions: questions.length, changes: countOf(files) }),
    ],
    canRepeat: (started.data.parent ?? null) === null,
    ledger: { first: Math.min(...all.map(({ seq }) => seq)), last: Math.max(...all.map(({ seq }) => seq)) },
    ...correctedBy(started.data.input),
  };
}

/** A reason names the node that failed; the nodes of a task are its stages, which its reader does not know. */
function withoutNode(reason: string | undefined, nodes: readonly { id: string }[]): string | undefined {
  const named = nodes.find(({ id }) => reason?.startsWith(`${id}: `));
  return named === undefined ? reason : reason?.slice(named.id.length + 2);
}

function answerIn(events: readonly Event[]): Pick<ResultFacts, 'answer'> {
  const answer = finalAnswerIn(events);
  return answer === null || answer === '' ? {} : { answer };
}

/** A judgement counts until the task is planned again: what ends it after that is another reason. */
const isPlanCall = (type: Event['type'], data: Event['data']): boolean =>
  type === 'call.started' && 'node' in data && data.node === 'plan';

/** Whether the last request to a model failed. */
function hasLastAnswerFailed(events: readonly Event[]): boolean {
  const asked = new Set(
    events.flatMap(({ type, data }) => (type === 'call.started' && data.tool === 'model.complete' ? [data.call] : [])),
  );
  const last = events.findLast(({ type, data }) => type === 'call.ended' && asked.has(data.call));
  return last?.type === 'call.ended' && last.data.status === 'failed';
}

/** The state of a run that is not over: what it waits for may be asked inside it. */
function stateOfOpen(
  own: readonly Event[],
  steps: readonly (readonly Event[])[],
  questions: readonly Question[],
): ResultFacts['verdict'] {
  if (isPaused(own) || isPaused(steps.at(-1) ?? [])) return 'paused';
  return questions.length > 0 ? 'blocked' : 'running';
}

function isPaused(events: readonly Event[]): boolean {
  const last = events.findLast(({ type }) => type === 'run.paused' || type === 'run.resumed' || type === 'run.ended');
  return last?.type === 'run.paused';
}

/** An undo counts until the run changes something again. */
function undoneIn(all: readonly Event[]): Pick<ResultFacts, 'undone'> {
  const undone = all.findLast((event) => event.type === 'run.undone');
  const hasWorkedSince = all.some(({ type, seq }) => type === 'desk.kept' && seq > (undone?.seq ?? 0));
  return undone === undefined || hasWorkedSince ? {} : { undone: { at: undone.at, kept: undone.data.kept } };
}

function verdictOf(status: string, judged: string | undefined): ResultFacts['verdict'] {
  if (status === 'done' || status === 'cancelled') return status;
  return judged === 'impossible' || judged === 'rework' ? judged : 'failed';
}

function stepsOf(events: readonly Event[]): ResultStep[] {
  const planned = events.flatMap((event) =>
    event.type === 'run.started' || event.type === 'run.planned' ? event.data.nodes : [],
  );
  return planned.map(({ id, title }) => ({ id, title, ...stepOf(id, events) }));
}

/** What went wrong under a plan that was replaced is no news any more; that it ran is. */
function superseded(step: ResultStep): ResultStep {
  const shown = { ...step };
  delete shown.error;
  return shown;
}

/** Nothing waits or is still to come once the run is over. */
const afterEnd = (step: ResultStep): ResultStep =>
  step.status === 'waiting' || step.status === 'pending' ? { ...step, status: 'skipped' } : step;

/** Criteria that the last plan replaced, and why. */
function replacedIn(own: readonly Event[]): Pick<ResultFacts, 'replaced'> {
  const replaced = own.flatMap((event) => {
    const isPlan = event.type === 'call.ended' && event.data.node === 'plan';
    return (isPlan ? Planned.safeParse(event.data.output).data?.replaced : undefined) ?? [];
  });
  return replaced.length === 0 ? {} : { replaced };
}

function stepOf(id: string, events: readonly Event[]): Omit<ResultStep, 'id' | 'title'> {
  const step: Omit<ResultStep, 'id' | 'title'> & { status: ResultStep['status'] } = { status: 'pending' };
  let calls = 0;
  let isWorker = false;
  let startedAt: number | null = null;
  for (const event of events) {
    if (event.type === 'run.ended' && event.data.status === 'failed' && event.data.reason.startsWith(`${id}: `)) {
      step.status = 'failed';
      step.error ??= event.data.reason.slice(id.length + 2, LONGEST_SHOWN);
    }
    if (event.type === 'run.time_skipped' && startedAt !== null) startedAt += event.data.ms;
    if (!('node' in event.data) || event.data.node !== id) continue;
    if (event.type === 'call.started') {
      startedAt ??= Date.parse(event.at);
      calls += 1;
      step.status = 'running';
      step.did = describeCall(event.data.tool, event.data.input);
    }
    if (event.type === 'call.ended') {
      step.ms = startedAt === null ? 0 : Math.max(0, Date.parse(event.at) - startedAt);
      if (event.data.settles !== undefined) step.status = event.data.settles;
      step.fallback = event.data.settles === 'done' && event.data.status !== 'ok';
      if (event.data.error === undefined) delete step.error;
      else step.error = event.data.error.slice(0, LONGEST_SHOWN);
      Object.assign(step, outputOf(event.data.output), storedBy(event));
    }
    if (event.type === 'node.settled') {
      step.status = event.data.status;
      step.fallback = /^(?:fallback|continued) after/.test(event.data.reason);
      if (event.data.status === 'failed') step.error = event.data.reason.slice(0, LONGEST_SHOWN);
      else Object.assign(step, outputOf(event.data.output));
    }
    if (event.type === 'wait.opened') step.status = 'waiting';
    isWorker ||= event.type === 'decision.made';
    if (event.type === 'decision.made' && event.data.decision.kind === 'Finish') {
      step.status = 'done';
      delete step.error;
      Object.assign(step, outputOf(event.data.decision.output));
    }
    if (event.type === 'decision.made' && event.data.decision.kind === 'Fail') {
      step.status = 'failed';
      step.error = event.data.decision.reason;
    }
  }
  return isWorker ? { ...step, stored: [], calls } : { ...step, attempts: Math.max(1, calls) };
}

function describeCall(tool: string, input: Json): string {
  const { line, argv } = fieldsOf(input);
  if (typeof line === 'string') return line.replace(/^set -e; /, '');
  if (Array.isArray(argv)) return codeIn(argv.map(String)) ?? argv.map(String).join(' ');
  return `${tool} ${JSON.stringify(input)}`.slice(0, LONGEST_SHOWN);
}

/** The code that an interpreter was given. */
function codeIn([program, option, code]: readonly string[]): string | null {
  return /^(?:node -e|python3 -c)$/.test(`${program} ${option}`) ? (code ?? null) : null;
}

function outputOf(output: Json): Pick<ResultStep, 'output' | 'stderr'> {
  const { stdout, stderr } = fieldsOf(output);
  if (typeof stdout === 'string')
    return { output: stdout.trim(), stderr: typeof stderr === 'string' ? stderr.trim() : '' };
  const text = typeof output === 'string' ? output : output === null ? '' : JSON.stringify(output, null, 2);
  return { output: text, stderr: '' };
}

function storedBy({ data }: Extract<Event, { type: 'call.ended' }>): Pick<ResultStep, 'stored'> {
  return { stored: (data.artifacts ?? []).filter(({ name }) => name === 'stdout' || name === 'stderr') };
}

function fieldsOf(value: Json): Record<string, Json | undefined> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

type Question = ResultFacts['questions'][number];

function openQuestions(events: readonly Event[]): Question[] {
  const open = new Map<string, Question>();
  for (const event of events) {
    if (event.type === 'wait.opened' && isShown(event.data.for))
      open.set(event.data.wait, questionOf(event.data.wait, event.data.for));
    if (event.type === 'wait.closed') open.delete(event.data.wait);
    if (event.type === 'run.ended')
      for (const wait of open.keys()) if (wait.startsWith(`${event.run}.`)) open.delete(wait);
  }
  return [...open.values()];
}

/** A pause is shown when there is a reason for it that a person may want to know. */
const isShown = (awaited: WaitFor): boolean =>
  awaited.kind === 'timer' ? awaited.why !== undefined : awaited.kind !== 'child';

function questionOf(id: string, awaited: WaitFor): Question {
  switch (awaited.kind) {
    case 'approval':
      return { id, text: summarizeApproval(awaited), ask: 'approval' };
    case 'question':
      return { id, text: awaited.text, ask: 'answer' };
    case 'message':
      return { id, text: `It waits for a reply in ${awaited.thread}.`, ask: 'answer' };
    case 'requirement':
      return { id, text: `It needs ${awaited.name}.`, ask: 'nothing' };
    case 'timer':
      return { id, text: `It waits for ${awaited.why ?? 'a moment.'} Next try at ${awaited.until}.`, ask: 'time' };
    case 'turn':
      return { id, text: 'It waits for earlier runs of the same graph to end.', ask: 'nothing' };
    case 'child':
      return { id, text: `It waits for ${awaited.run}.`, ask: 'nothing' };
  }
}

const countOf = ({ created, changed, removed }: Changes): number => created.length + changed.length + removed.length;

function skippedIn(events: readonly Event[]): string[] {
  return [...new Set(events.flatMap((event) => (event.type === 'desk.kept' ? event.data.skipped : [])))];
}

export function artifactsIn(events: readonly Event[]): ArtifactRef[] {
  const all = events.flatMap((event) => (event.type === 'call.ended' ? (event.data.artifacts ?? []) : []));
  return [...new Map(all.map((artifact) => [artifact.sha256, artifact])).values()];
}

/** Calls that oka makes to run a task, and those of models, which are counted apart. */
const NO_TOOL_CALL = new Set(['model.complete', 'task.plan', 'task.critique', 'run.start', STEP_CHECK]);

function costOf(events: readonly Event[]): ResultFacts['cost'] {
  const cost = { tokens: 0, usd: 0, calls: 0, modelCalls: 0, replans: 0, activeMs: 0 };
  for (const event of events) {
    if (event.type === 'call.started' && !NO_TOOL_CALL.has(event.data.tool)) cost.calls += 1;
    if (event.type === 'call.started' && event.data.tool === 'model.complete') cost.modelCalls += 1;
    if (event.type === 'run.moved' && event.data.to === 'REPLAN') cost.replans += 1;
    if (event.type !== 'call.ended' || event.data.usage === undefined) continue;
    const { tokens_in = 0, tokens_out = 0, usd = 0, ms = 0 } = event.data.usage;
    cost.tokens += tokens_in + tokens_out;
    cost.usd += usd;
    cost.activeMs += ms;
  }
  return cost;
}

/** A procedure that was promoted is new while the critic judges its uses. */
function procedureIn(own: readonly Event[]): Pick<ResultFacts, 'procedure' | 'isNewHabit'> {
  const chosen = own.find((event) => event.type === 'procedure.chosen');
  const isPlanned = chosen?.data.arm === 'used' || chosen?.data.arm === 'trial';
  if (!isPlanned) return {};
  const { procedure, arm, judge } = chosen.data;
  return { procedure, isNewHabit: arm === 'used' && judge === 'critic' };
}

function modelIn(events: readonly Event[]): string | null {
  const asked = events.findLast(
    (event) => event.type === 'call.ended' && typeof fieldsOf(event.data.output)['request'] === 'string',
  );
  const model = asked?.type === 'call.ended' ? fieldsOf(asked.data.output)['model'] : undefined;
  return typeof model === 'string' ? model : null;
}

function nextOf(
  verdict: ResultFacts['verdict'],
  run: string,
  { questions, changes }: { questions: number; changes: number },
): ResultFacts['next'] {
  switch (verdict) {
    case 'done':
    case 'running':
      return [];
    case 'blocked':
      return questions > 0 ? [] : [{ text: 'See what it is waiting for', command: `oka show ${run}` }];
    case 'paused':
      return [
        { text: 'Continue it', command: `oka resume ${run}` },
        { text: 'End it', command: `oka cancel ${run}` },
      ];
    case 'cancelled':
      return changes === 0 ? [] : [{ text: 'Undo what it had changed', command: `oka undo ${run}` }];
    case 'failed':
    case 'rework':
    case 'impossible':
      return [
        { text: 'Fix what is named above, then continue', command: `oka resume ${run}` },
        ...(changes === 0 ? [] : [{ text: 'Undo what it has changed', command: `oka undo ${run}` }]),
      ];
  }
}

function nameIn(input: Json): string | null {
  const { name } = fieldsOf(input);
  return typeof name === 'string' ? name : null;
}

function correctedBy(input: Json): { corrects: string } | null {
  const { corrects } = fieldsOf(fieldsOf(input)['fields'] ?? null);
  return typeof corrects === 'string' ? { corrects } : null;
}
