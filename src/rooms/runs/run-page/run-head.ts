/** The query of the page of a run: everything but its calls and events, which have queries of their own. */
import { join } from 'node:path';
import { z } from 'zod';
import { foldResultFacts } from '../../../kit/runs/result-facts.ts';
import { redactShapes } from '../../../core/guard/redact.ts';
import { openArtifacts } from '../../../core/ledger/artifact-store.ts';
import { foldGoal } from '../../../core/ledger/goal.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Home } from '../../../core/schema/home.ts';
import { Id } from '../../../core/schema/names.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { RunStatus } from '../../../core/schema/run.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { statusForPeople } from '../../../kit/views/run-status.ts';
import { foldSteps } from '../../../kit/views/run-steps.ts';
import { listWaiting } from '../../../kit/views/waiting-query.ts';
import { describeDeskWait, storedDeskWait } from '../../../kit/views/desk-wait.ts';
import { describeAwaited } from '../../../kit/web/awaited.ts';
import { defineQuery, type QueryRequest } from '../../../kit/web/page.ts';
import { possibleActs } from './possible-acts.ts';
import { listDeliverables } from './list-deliverables.ts';
import { RunAnswer, type ShortRun } from './run-answer.ts';
import { readRunTree, type RunTree } from './run-tree.ts';

const MOST_RUNS = 200;
const MOST_TASK_BYTES = 64 * 1024;
const NO_CHANGES = { created: [], changed: [], removed: [] };

export const runHead = defineQuery({
  params: z
    .strictObject({
      run: Id.describe('The run.'),
      node: z.string().optional().describe('A step that the page points out.'),
      seq: z.coerce.number().int().positive().optional().describe('An event that the page points out.'),
    })
    .describe('Which run.'),
  answer: RunAnswer,
  read: async ({ params, ...request }) => describeRun(request, await readRunTree(request, params.run)),
});

type Request = Pick<QueryRequest<unknown>, 'home' | 'views'>;

export async function describeRun({ home, views }: Request, tree: RunTree): Promise<RunAnswer> {
  const { run, row, own, plans, all, isTask } = tree;
  const facts = foldResultFacts(own, plans, NO_CHANGES);
  const started = own.find((event) => event.type === 'run.started');
  const ended = own.findLast((event) => event.type === 'run.ended');
  const shownRun = plans.at(-1) ?? own;
  const deliverables = listDeliverables(home, run);
  const runs = await views((rows) => ({ children: childrenOf(rows, tree), related: relatedRuns(rows, tree) }));
  const desk = row === null ? null : await views((rows) => storedDeskWait(rows, row));
  const waits = [own, ...plans].flatMap((events) => openWaitsIn(events, plans));
  const listed = waits.length === 0 ? [] : await views((rows) => listWaiting(rows));
  const awaited = listed.filter((each) => waits.some(({ wait }) => wait === each.wait));
  // A task is itself blocked by the run that carries out its plan; for a person it stands as that one does.
  const verdict = facts?.verdict;
  const status: RunStatus = verdict === 'paused' || verdict === 'running' ? verdict : (row?.status ?? 'running');
  return {
    run,
    title: row?.title ?? receivedName(own) ?? run,
    kind: isTask || row === null ? 'task' : 'graph',
    status,
    verdict: facts?.verdict ?? (row === null ? 'queued' : status),
    reason: desk === null ? (facts?.reason ?? row?.reason ?? '') : describeDeskWait(desk),
    state: row?.state ?? '',
    mode: started?.data.mode ?? null,
    graph: row?.graph ?? '',
    received: own[0]?.at ?? started?.at ?? '',
    started: row?.started ?? null,
    ended: row?.ended ?? null,
    answer: facts?.answer ?? null,
    output: isTask ? null : (ended?.data.output ?? null),
    task: await readTaskText(home, own),
    deliverables,
    steps: foldSteps(shownRun),
    earlier_plans: plans.slice(0, -1).map((events) => ({
      run: events[0]?.run ?? '',
      status: foldGoal(events)?.status ?? 'running',
      steps: foldSteps(events),
    })),
    graph_run: shownRun.find(({ type }) => type === 'run.started')?.run ?? run,
    criteria: (facts?.criteria ?? []).map(({ text, holds, evidence, by }) => ({ text, holds, evidence, by })),
    waits,
    awaited: await describeAwaited(home, awaited),
    ...runs,
    replans: own.flatMap(({ seq, at, type, data }) =>
      type === 'run.moved' && data.to === 'REPLAN' ? [{ seq, at, reason: data.reason }] : [],
    ),
    notes: notesIn(tree),
    cost: costOf(row, facts),
    model: facts?.model ?? null,
    budgets: started?.data.budgets ?? {},
    egress: countHosts(all),
    undone: facts?.undone?.at ?? null,
    acts: possibleActs(tree, status, {
      hasDeliverables: deliverables.length > 0,
      isUndone: facts?.undone !== undefined,
    }),
    events: { first: all[0]?.seq ?? 0, last: all.at(-1)?.seq ?? 0, count: all.length },
  };
}

/** What people wrote to the worker. It has read a note when a model was asked after it and decided something. */
function notesIn({ own, all, row }: RunTree): RunAnswer['notes'] {
  return own.flatMap(({ seq, at, type, data }) => {
    if (type !== 'note.received') return [];
    const asked = all.find(
      (event) => event.seq > seq && event.type === 'call.started' && event.data.tool === MODEL,
    )?.seq;
    const isRead = asked !== undefined && all.some((event) => event.seq > asked && event.type === 'decision.made');
    const stop = data.stop_after_step === true ? 'stop after this step' : '';
    const state = isRead ? 'the worker has read it' : row?.ended == null ? 'not read yet' : 'nobody has read it';
    return [{ seq, at, text: data.text === '' ? stop : data.text, state: data.text === '' ? '' : state }];
  });
}

const MODEL = 'model.complete';

function costOf(row: RunTree['row'], facts: ReturnType<typeof foldResultFacts>): RunAnswer['cost'] {
  const { cost } = facts ?? {};
  return {
    tokens: cost?.tokens ?? 0,
    usd: cost?.usd ?? 0,
    calls: cost?.calls ?? 0,
    failed_calls: row?.spent.failed_calls ?? 0,
    model_calls: cost?.modelCalls ?? 0,
    active_ms: cost?.activeMs ?? 0,
  };
}

/** The waits of a task for the runs of its plans are no news: what these wait for is shown instead. */
function openWaitsIn(events: RunTree['own'], plans: RunTree['plans']): RunAnswer['waits'] {
  const goal = foldGoal(events);
  if (goal === null || /^(?:done|failed|cancelled)$/.test(goal.status)) return [];
  const inside = new Set(plans.map(([first]) => first?.run));
  return goal.waits
    .filter(({ for: awaited }) => awaited.kind !== 'child' || !inside.has(awaited.run))
    .map((wait) => ({ ...wait, run: goal.run }));
}

/** Runs that this one or its plans started; the runs of the plans themselves are shown as its steps. */
function childrenOf(rows: Rows, { run, plans }: RunTree): ShortRun[] {
  const inside = plans.flatMap(([first]) => first?.run ?? []);
  const names = [run, ...inside].flatMap((name) => storedRun(rows, name)?.children ?? []);
  return [...new Set(names)].filter((name) => !inside.includes(name)).flatMap((name) => shortRun(rows, name, ''));
}

/** Runs around it, before it and after it. */
function relatedRuns(rows: Rows, { row, own }: RunTree): ShortRun[] {
  const { parent = null, link, root } = row ?? {};
  const started = own.find((event) => event.type === 'run.started');
  const corrects = (started?.data.input as { fields?: { corrects?: string } } | null | undefined)?.fields?.corrects;
  return [
    ...(root === undefined || root === row?.run ? [] : shortRun(rows, root, 'it is part of')),
    ...(parent === null || parent === root ? [] : shortRun(rows, parent, 'it was started by')),
    ...(link === undefined ? [] : shortRun(rows, link.run, `it ${link.kind}s`)),
    ...(corrects === undefined ? [] : shortRun(rows, corrects, 'it corrects')),
    ...own.flatMap((event) =>
      event.type === 'run.corrected' ? shortRun(rows, event.data.by, 'it was corrected by') : [],
    ),
  ];
}

function shortRun(rows: Rows, run: string, why: string): ShortRun[] {
  const row = storedRun(rows, run);
  return row === undefined ? [] : [{ run, title: row.title, status: statusForPeople(rows, row), why }];
}

function countHosts(events: readonly Event[]): RunAnswer['egress'] {
  const counts = new Map<string, RunAnswer['egress'][number]>();
  for (const { type, data } of events) {
    if (type !== 'egress.decided') continue;
    const { host, verdict } = data;
    const found = counts.get(`${verdict} ${host}`) ?? { host, verdict, count: 0 };
    counts.set(`${verdict} ${host}`, { ...found, count: found.count + 1 });
  }
  return [...counts.values()].slice(0, MOST_RUNS);
}

const receivedName = (own: readonly Event[]): string | null =>
  own.find((event) => event.type === 'task.received')?.data.name ?? null;

async function readTaskText(home: Home, own: readonly Event[]): Promise<string | null> {
  const received = own.find((event) => event.type === 'task.received');
  if (received === undefined || received.data.body.bytes > MOST_TASK_BYTES) return null;
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redactShapes);
  return artifacts.get(received.data.body).then(
    (bytes) => bytes.toString('utf8'),
    () => null, // a page is shown also when an artifact was removed
  );
}
