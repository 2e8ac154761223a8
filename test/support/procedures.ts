/** Events of finished tasks, as the ledger would have them, folded by the parts that learn about procedures. */
import { hash } from 'node:crypto';
import { memoryRows } from '../../src/core/ledger/memory-rows.ts';
import type { Part } from '../../src/core/schema/learning-part.ts';
import type { Rows } from '../../src/core/schema/rows.ts';
import { procedures } from '../../src/rooms/procedures/procedures-part.ts';
import { taskRecords } from '../../src/kit/learning/task-record.ts';
import type { Event, NewEvent } from '../../src/core/schema/event.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import type { Json } from '../../src/core/schema/json.ts';
import type { Procedure } from '../../src/core/schema/procedure.ts';

export type Step = { id?: string; tool: string; input: Json; needs?: string[] };

export type Told = {
  run: string;
  body: string;
  steps: readonly Step[];
  criteria?: string[];
  targets?: string[];
  accept?: string[];
  dir?: string | null;
  at?: string;
  by?: 'model' | 'procedure' | 'runbook';
  status?: 'done' | 'failed' | 'cancelled';
  corrects?: string;
  /** What a model plans each time that the critic sends the result back, which has passed every check. */
  again?: readonly (readonly Step[])[];
  /** Events of the run between plan and end. */
  between?: readonly NewEvent[];
};

export type Learning = {
  book: Rows;
  tell: (event: NewEvent, at?: string, pen?: Event['pen']) => Event;
  task: (told: Told) => void;
  /** Writes down what is concluded, as the process does; gives the procedures. */
  conclude: () => Procedure[];
};

export function learning(parts: readonly Part[] = [taskRecords, procedures]): Learning {
  const book = memoryRows();
  const texts = new Map<string, string>();
  let seq = 0;
  const tell: Learning['tell'] = (event, at = '2026-03-01T10:00:00.000Z', pen = 'run') => {
    seq += 1;
    const full = { seq, at, pen, cause: null, v: 1, run: null, ...event } as Event;
    for (const part of parts) {
      const wanted = new Set(part.wants?.(full, book) ?? []);
      part.take({ event: full, text: (sha) => (wanted.has(sha) ? (texts.get(sha) ?? null) : null) }, book);
    }
    return full;
  };
  const kept = (text: string): string => {
    const sha = hash('sha256', text);
    texts.set(sha, text);
    return sha;
  };
  const task = (told: Told): void => {
    for (const event of eventsOf(told, kept)) tell(event, told.at);
  };
  const conclude = (): Procedure[] =>
    parts
      .flatMap((part) => part.conclude?.(book, { now: '2026-04-01T00:00:00.000Z', read: seq }) ?? [])
      .flatMap((event) => {
        const full = tell(event, '2026-04-01T00:00:00.000Z', 'maintenance');
        return full.type === 'procedure.drafted' ? [full.data.procedure] : [];
      });
  return { book, tell, task, conclude };
}

export function graphOf(steps: readonly Step[]): Graph {
  return Graph.parse({
    id: 'plan',
    title: 'A plan',
    author: 'model',
    nodes: steps.map(({ id, tool, input, needs = [] }, at) => ({
      kind: 'tool',
      id: id ?? `step-${at}`,
      title: `do ${at}`,
      tool,
      input,
      needs,
      timeout_seconds: 600,
      max_retries: 1,
    })),
  });
}

function eventsOf(told: Told, kept: (text: string) => string): NewEvent[] {
  const { run, body, steps, criteria = [], targets = [], accept, dir = null, by = 'model', status = 'done' } = told;
  const sha256 = kept(JSON.stringify(graphOf(steps)));
  const fields = {
    ...(accept === undefined ? {} : { accept }),
    ...(told.corrects === undefined ? {} : { corrects: told.corrects }),
  };
  const input = { name: `${run}.md`, title: run, body: kept(body), fields, first_line: 1, dir };
  const plan = {
    by,
    graph: `plan-${sha256}`,
    sha256,
    input: null,
    criteria: [
      ...(accept ?? []).map((text) => ({ text, author: 'operator' })),
      ...criteria.map((text) => ({ text, author: 'model' })),
    ],
    tools: [...new Set(steps.map(({ tool }) => tool))].toSorted(),
    targets: targets.toSorted(),
  };
  const call = `${run}.plan.0.1`;
  return [
    {
      type: 'run.started',
      run,
      data: { title: run, graph: { id: 'oka.task', sha256: '0'.repeat(64) }, input, parent: null, depth: 0 },
    },
    { type: 'call.started', run, data: { call, node: 'plan', tool: 'task.plan', class: 'read', input: null } },
    {
      type: 'call.ended',
      run,
      data: { call, node: 'plan', status: 'ok', output: plan, usage: { tokens_in: 900, tokens_out: 100 } },
    },
    ...(told.again ?? []).flatMap((next, n) =>
      sentBack(run, `${run}.plan.${n + 1}.1`, { ...plan, by: 'model', sha256: kept(JSON.stringify(graphOf(next))) }),
    ),
    ...(told.between ?? []),
    { type: 'run.ended', run, data: { status, reason: '' } },
  ] as NewEvent[];
}

function sentBack(run: string, call: string, plan: object): object[] {
  const criteria = [
    { text: 'a check', holds: true, evidence: 'seen', by: 'check' },
    { text: 'prose', holds: false, evidence: 'no evidence for it', by: 'model' },
  ];
  return [
    { type: 'run.judged', run, data: { verdict: 'rework', criteria, reason: 'prose: no evidence for it' } },
    { type: 'call.started', run, data: { call, node: 'plan', tool: 'task.plan', class: 'read', input: null } },
    { type: 'call.ended', run, data: { call, node: 'plan', status: 'ok', output: plan } },
  ];
}
