/** A run that procedures are made of, and when a plan is the same as its plan. */
import type { Json } from '../../schema/json.ts';
import type { Planned } from '../../schema/task-run.ts';
import type { Filled } from './fill.ts';

/** A run that went well, as far as a procedure is made of it. */
export type Sample = Pick<Planned, 'criteria' | 'tools' | 'targets'> & {
  run: string;
  seq: number;
  day: string;
  /** The text of the task. */
  text: string;
  /** The plan. */
  graph: Json;
};

export type Fields = { [key: string]: Json };

/** Whether a procedure gives what was planned without it. */
export function isSamePlan(filled: Pick<Filled, 'graph' | 'criteria' | 'targets'>, sample: Sample): boolean {
  const told = (graph: Json, { criteria, targets }: Pick<Filled, 'criteria' | 'targets'>): string => {
    const own = criteria.filter(({ author }) => author === 'model').map(({ text }) => text);
    return JSON.stringify([sorted(withoutTitles(graph)), own.toSorted(), targets?.toSorted() ?? null]);
  };
  return told(filled.graph, filled) === told(renamed(sample.graph, filled.graph), sample);
}

/** A plan with the steps named as in another: what a step is called makes no difference. */
export function renamed(graph: Json, like: Json): Json {
  const ids = new Map(nodesIn(graph).map(({ id }, at) => [id, nodesIn(like)[at]?.['id'] ?? id]));
  const nodes = nodesIn(graph).map((node): Fields => {
    const { id = '', needs = [], idempotency_key: key } = node;
    const asked = (needs as string[]).map((need) => ids.get(need) ?? need);
    return {
      ...node,
      id: ids.get(id) ?? id,
      needs: asked,
      ...(key === id ? { idempotency_key: ids.get(id) ?? id } : {}),
    };
  });
  return { ...(graph as Fields), nodes };
}

export const nodesIn = (graph: Json): Fields[] => (isFields(graph) ? ((graph['nodes'] ?? []) as Fields[]) : []);
export const isFields = (value: Json): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Fields in one order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}

function withoutTitles(graph: Json): Json {
  const { nodes: _, title: __, ...rest } = graph as Fields;
  return { ...rest, nodes: nodesIn(graph).map(({ title: ___, ...node }) => node) };
}
