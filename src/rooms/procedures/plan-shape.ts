/**
 * Owns: the shape of a plan: what it does, without the values that vary from task to task.
 *
 * Two plans of one family with the same shape make the same calls in the same order, and their inputs differ only in what
 * has the form of a value or appears in the text of the task.
 */
import { hash } from 'node:crypto';
import type { Graph, Node } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import { isVariable, type Token, tokenize } from '../../kit/learning/task-tokens.ts';

/** Returns null when such a plan cannot become a procedure. */
export function planShape(graph: Graph, text: string): string | null {
  const tokens = tokenize(text);
  if (tokens === null || graph.edges.length > 0) return null;
  const words = new Set(tokens.filter((token) => token.look !== 'mark').flatMap(wordsIn));
  const places = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  const nodes: Json[] = [];
  for (const node of graph.nodes) {
    const shape = nodeShape(node, words, places);
    if (shape === null) return null;
    nodes.push(shape);
  }
  return hash('sha256', JSON.stringify({ mode: graph.mode, parallel: graph.parallel, nodes }));
}

const wordsIn = ({ text }: Token): string[] => text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');

function nodeShape(node: Node, words: ReadonlySet<string>, places: ReadonlyMap<string, number>): Json | null {
  const common: Json = {
    needs: node.needs.map((id) => places.get(id) ?? -1),
    on_error: node.on_error,
    acceptance: node.acceptance.length,
    ...(node.timeout_seconds === undefined ? {} : { timeout: node.timeout_seconds }),
    ...(node.max_retries === undefined ? {} : { retries: node.max_retries }),
  };
  switch (node.kind) {
    case 'tool':
      return {
        ...common,
        tool: node.tool,
        input: maskValues(node.input ?? null, words),
        fallback: node.fallback ?? null,
      };
    case 'agent':
      return { ...common, goal: node.goal, tools: node.tools ?? [] };
    case 'graph':
    case 'map':
    case 'wait':
    case 'typed_condition':
    case 'transform':
      return null;
  }
}

function maskValues(value: Json, words: ReadonlySet<string>): Json {
  if (typeof value === 'string') return maskText(value, words);
  if (Array.isArray(value)) return value.map((item) => maskValues(item, words));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskValues(item, words)]));
}

/** Consecutive values count as one, because names may have several words. */
function maskText(text: string, words: ReadonlySet<string>): string {
  const shape: string[] = [];
  for (const token of tokenize(text) ?? []) {
    const differs = isVariable(token) || (token.look === 'word' && wordsIn(token).every((word) => words.has(word)));
    if (!differs) shape.push(token.text);
    else if (shape.at(-1) !== '{}') shape.push('{}');
  }
  return shape.join(' ');
}
