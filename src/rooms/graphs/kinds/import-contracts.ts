/** Owns: what stands between two nodes of Anton: the output of a condition, and contracts that differ. */
import type { Json } from '../../../core/schema/json.ts';
import type { AntonNode } from './anton-graph.ts';
import { cleanContract, usesLast } from './import-node.ts';
import type { ImportedNode, Importing, Route } from './importing.ts';

type Contract = { [keyword: string]: Json };

/** The nodes between the ends of an edge, in order. */
export function bridgeEdge(route: Route, importing: Importing): ImportedNode[] {
  const output = conditionOutput(route);
  const normalizer = normalizerFor(route, importing);
  return [output, normalizer].filter((node) => node !== null);
}

/** A condition has another output there; whoever works with it gets that one. */
function conditionOutput({ from, to, option }: Route): ImportedNode | null {
  if (from.type !== 'condition' || !usesLast(to)) return null;
  const { strategy } = from;
  const chosen = strategy === 'typed_condition' ? { result: option === 'true' } : { decision: option ?? null };
  return {
    kind: 'transform',
    id: `${from.node_id}__${option}__to__${to.node_id}`,
    value: { strategy, ...chosen, next: to.node_id },
  };
}

/** `ai_edge_policy`: a model adapts an output that cannot be the input of the next node. */
function normalizerFor({ from, to }: Route, { source, note, problem }: Importing): ImportedNode | null {
  if (to.type === 'end') return null;
  const policy = source.execution_defaults?.ai_edge_policy ?? 'auto';
  const [given, wanted] = [from.output_schema ?? {}, to.input_schema ?? {}].map(cleanContract) as [Contract, Contract];
  const path = `nodes.${source.nodes.indexOf(from)}`;
  if (!contractsDiffer(given, wanted)) {
    if (policy === 'always')
      note(
        path,
        `no model adapts the output of "${from.node_id}" for "${to.node_id}" (ai_edge_policy always): it fits as it is`,
      );
    return null;
  }
  if (policy === 'never') {
    problem(
      path,
      `the output of "${from.node_id}" cannot be the input of "${to.node_id}", and ai_edge_policy is never`,
    );
    return null;
  }
  return normalizerNode(from, to, wanted, source.id);
}

function normalizerNode(from: AntonNode, to: AntonNode, wanted: Contract, graph: string): ImportedNode {
  const id = `normalize__${from.node_id}__to__${to.node_id}`;
  return {
    kind: 'ai_template',
    id,
    prompt: `Rewrite this value so that it matches the schema, and change nothing else.\n\n{{${from.node_id}}}`,
    output_format: 'json',
    output_schema: wanted,
    timeout_seconds: 45,
    max_retries: 1,
    idempotency_key: `${graph}:${id}`,
  };
}

/** Whether a value of one contract is surely refused by the other. */
function contractsDiffer(given: Contract, wanted: Contract): boolean {
  const types = (schema: Contract): Json[] => (schema['type'] === undefined ? [] : [schema['type']].flat());
  const [from, to] = [types(given), types(wanted)];
  if (from.length === 0 || to.length === 0) return false;
  const fits = (type: Json): boolean => to.includes(type) || (type === 'integer' && to.includes('number'));
  if (!from.some(fits)) return true;
  const [have, want] = [given['properties'], wanted['properties']].map(
    (each) => (each ?? {}) as Record<string, Contract>,
  );
  const required = (wanted['required'] ?? []) as string[];
  const isClosed = given['additionalProperties'] === false;
  return required.some((name) => {
    const found = have?.[name];
    return found === undefined ? isClosed : contractsDiffer(found, want?.[name] ?? {});
  });
}

/** What nobody promised is not checked, neither there nor here; whoever imports the graph knows where. */
export function reportMissingContracts({ source, note }: Importing): void {
  for (const field of ['input_schema', 'output_schema'] as const) {
    const without = source.nodes.filter((node) => node.type !== 'start' && node.type !== 'end' && !(field in node));
    if (without.length > 0)
      note(
        `nodes.*.${field}`,
        `is missing, so nothing is checked there: ${without.map((node) => node.node_id).join(', ')}`,
      );
  }
}
