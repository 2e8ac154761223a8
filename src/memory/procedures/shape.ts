/**
 * Owns: what a plan does, without what differs from task to task.
 *
 * Two plans of one family with the same shape have the same calls in the same order, and their inputs differ only in
 * what looks like a value or stands in the text of the task.
 */
import { hash } from 'node:crypto';
import type { Graph, Node } from '../../schema/graph.ts';
import type { Json } from '../../schema/json.ts';
import { isLifted, type Token, tokensOf } from './lift.ts';

/** Null when a procedure cannot be made of such a plan. */
export function shapeOf(graph: Graph, text: string): string | null {
  const said = tokensOf(text);
  if (said === null || graph.edges.length > 0) return null;
  const words = new Set(said.filter((token) => token.look !== 'mark').flatMap(wordsIn));
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
      return { ...common, tool: node.tool, input: lifted(node.input ?? null, words), fallback: node.fallback ?? null };
    case 'agent':
      return { ...common, goal: node.goal, tools: node.tools ?? [] };
    case 'graph':
    case 'map':
    case 'wait':
      return null;
  }
}

function lifted(value: Json, words: ReadonlySet<string>): Json {
  if (typeof value === 'string') return liftedText(value, words);
  if (Array.isArray(value)) return value.map((item) => lifted(item, words));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, lifted(item, words)]));
}

/** Several values in a row are one: names have a word, or two. */
function liftedText(text: string, words: ReadonlySet<string>): string {
  const shape: string[] = [];
  for (const token of tokensOf(text) ?? []) {
    const differs = isLifted(token) || (token.look === 'word' && wordsIn(token).every((word) => words.has(word)));
    if (!differs) shape.push(token.text);
    else if (shape.at(-1) !== '{}') shape.push('{}');
  }
  return shape.join(' ');
}
