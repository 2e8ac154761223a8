/** The contents of RESULT.md, folded from the events of a task's run and of the runs inside it. Pure. */
import type { ResultFacts, ResultStep } from './result-content.ts';
import { answerThatStands } from './final-answer.ts';
import { hostAuthors, hostsContacted } from './hosts-contacted.ts';
import { openQuestions } from './open-questions.ts';
import { afterEnd, asSuperseded, fieldsOf, stepsIn } from './fold-result-steps.ts';
import { STEP_CHECK } from '../../core/schema/acceptance.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import { Planned } from '../../core/schema/task-run.ts';
import type { ArtifactRef } from '../../core/schema/tool.ts';
import type { Changes } from '../desk/desk-changes.ts';

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
  const questions = ended === undefined ? openQuestions(all) : []; // those of steps inside are closed a moment later
  const verdict =
    ended === undefined
      ? stateOfOpen(own, steps, questions)
      : verdictOf(ended.data.status, isPlannedSince ? undefined : judged?.data.verdict);
  const isRunbook = plansIn(own)[0]?.by === 'runbook' && steps.length > 1;
  return {
    run: started.run,
    title: started.data.title,
    verdict,
    reason: verdict === 'done' ? '' : (withoutNode(ended?.data.reason, started.data.nodes) ?? ''),
    task: nameIn(started.data.input) ?? started.data.title,
    ...notesIn(own),
    started: started.at,
    ended: last.at,
    ...answerIn(steps, own),
    steps: steps.flatMap((events, index) =>
      stepsIn(events)
        .map((step) => asWritten(step, index, isRunbook))
        .map((step) => (index < steps.length - 1 && step.as !== 'written' ? asSuperseded(step) : step))
        .map((step) => (ended === undefined ? step : afterEnd(step))),
    ),
    ...replacedIn(own),
    criteria: (judged?.data.criteria ?? []).map((each) => (isPlannedSince ? asJudgedBefore(each) : each)),
    files,
    undo: { possible: all.some(({ type }) => type === 'desk.kept'), without: skippedIn(all) },
    ...undoneIn(all),
    hosts: hostsContacted(all),
    hostAuthors: hostAuthors(all, hostsContacted(all)),
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

/** Where a model has planned after a runbook, the page says which steps were written and which were not. */
const asWritten = (step: ResultStep, index: number, isRunbook: boolean): ResultStep =>
  isRunbook ? { ...step, as: index === 0 ? 'written' : 'repair' } : step;

function notesIn(own: readonly Event[]): Pick<ResultFacts, 'notes'> {
  const judged = own.findLast((event) => event.type === 'run.judged');
  const [reason = '', ...further] = judged?.data.verdict === 'done' ? judged.data.reason.split('\n') : [];
  const repaired = reason.startsWith('every criterion is met by what a model planned');
  const notes = [...plansIn(own).flatMap(({ note }) => note ?? []), ...(repaired ? [reason] : []), ...further];
  return notes.length === 0 ? {} : { notes };
}

const plansIn = (own: readonly Event[]): Planned[] =>
  own.flatMap((event) => {
    const isPlan = event.type === 'call.ended' && event.data.node === 'plan';
    return (isPlan ? Planned.safeParse(event.data.output).data : undefined) ?? [];
  });

function answerIn(attempts: readonly (readonly Event[])[], own: readonly Event[]): Pick<ResultFacts, 'answer'> {
  const reasons = own.flatMap(({ type, data }) => (type === 'run.judged' ? [data.reason] : []));
  const answer = answerThatStands(attempts, reasons);
  return answer === null || answer === '' ? {} : { answer };
}

/** What a judgement found is not true of what a later plan has left behind. */
const asJudgedBefore = <T extends { evidence: string }>(criterion: T): T => ({
  ...criterion,
  evidence: `judged before the last plan, and not again: ${criterion.evidence}`,
});

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
  questions: ResultFacts['questions'],
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

/** Criteria that the last plan replaced, and why. */
function replacedIn(own: readonly Event[]): Pick<ResultFacts, 'replaced'> {
  const replaced = plansIn(own).flatMap((plan) => plan.replaced ?? []);
  return replaced.length === 0 ? {} : { replaced };
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
  const cost = { tokens: 0, usd: 0, calls: 0, modelCalls: 0, replans: 0, activeMs: 0, deskMs: 0 };
  for (const event of events) {
    if (event.type === 'call.started' && !NO_TOOL_CALL.has(event.data.tool)) cost.calls += 1;
    if (event.type === 'call.started' && event.data.tool === 'model.complete') cost.modelCalls += 1;
    if (event.type === 'run.moved' && event.data.to === 'REPLAN') cost.replans += 1;
    if (event.type === 'run.time_skipped' && event.data.why === 'desk') cost.deskMs += event.data.ms;
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
