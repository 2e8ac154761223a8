/** A run that a procedure is drafted from, and comparing plans with its plan. */
import type { Json } from '../../core/schema/json.ts';
import type { Planned } from '../../core/schema/task-run.ts';
import type { FilledProcedure } from '../../kit/ports/procedures-port.ts';

/** What a procedure is drafted from: a run that went well. */
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

/** Whether a filled procedure equals the plan of the sample. */
export function isSamePlan(filled: Pick<FilledProcedure, 'graph' | 'criteria' | 'targets'>, sample: Sample): boolean {
  const content = (graph: Json, { criteria, targets }: Pick<FilledProcedure, 'criteria' | 'targets'>): string => {
    const own = criteria.filter(({ author }) => author === 'model').map(({ text }) => text);
    return JSON.stringify([sortFields(removeTitles(graph)), own.toSorted(), targets?.toSorted() ?? null]);
  };
  return content(filled.graph, filled) === content(renameSteps(sample.graph, filled.graph), sample);
}

/** Renames the steps of a plan to those of another, because step names do not matter. */
export function renameSteps(graph: Json, like: Json): Json {
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

/** Sorts fields by name, so that their order does not matter. */
function sortFields(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortFields);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sortFields(value[key] ?? null)]),
  );
}

function removeTitles(graph: Json): Json {
  const { nodes: _, title: __, ...rest } = graph as Fields;
  return { ...rest, nodes: nodesIn(graph).map(({ title: ___, ...node }) => node) };
}
