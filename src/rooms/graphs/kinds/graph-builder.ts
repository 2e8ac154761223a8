/**
 * Owns: what a model is asked when it is to write a graph for a person, and reading its answer.
 * The format is described by the schemas themselves, so that the prompt cannot know less than the checks.
 */
import { z } from 'zod';
import { Edge, instructionNodes, commonFields, Graph } from '../../../core/schema/graph.ts';
import { isJson, type Json } from '../../../core/schema/json.ts';
import type { NodeKind } from '../../../core/schema/node-kind.ts';

type BuilderTool = { name: string; about: string; input: object };
export type BuilderTask = {
  /** What the person wants, in their own words. */
  intent: string;
  id: string;
  kinds: readonly NodeKind[];
  tools: readonly BuilderTool[];
};
/** An answer that cannot be used, and why. */
export type RejectedAnswer = { text: string; problems: readonly string[] };

const MOST_SHOWN = 20_000;

export function builderPrompt({ intent, id, kinds, tools }: BuilderTask, rejected: RejectedAnswer | null): string {
  const parts = [
    'Write a graph: an automation as JSON that a runtime carries out step by step. Answer with the JSON object and nothing else.',
    `What it is to do:\n${intent}`,
    rules(id),
    formatOf(kinds),
    `Tools (name, what it does, JSON Schema of its input):\n${tools.map(toolLine).join('\n')}`,
  ];
  if (rejected !== null)
    parts.push(
      `Your answer before:\n${rejected.text.slice(0, MOST_SHOWN)}`,
      `It cannot be used:\n${rejected.problems.map((problem) => `- ${problem}`).join('\n')}\nWrite the whole graph again without these problems.`,
    );
  return parts.join('\n\n');
}

const rules = (id: string): string => `Rules:
- "id" is "${id}". "mode" is "bounded": every node that calls a tool or a model has timeout_seconds and max_retries.
- "nodes" is a list; each node has "id" and "kind". "needs" names the nodes before it; edges are only for branches.
- Prefer fixed steps to agents, and comparisons (typed_condition) to questions to a model.
- Templates in strings: {{input.x}} is the input of the graph, {{node.field}} the output of an earlier node, {{state.key}} what the graph remembers, {{date}} today.
- A value that must survive until the next run is written with write_state.
- Values of different types are not compared: what a command prints is text, also where it is digits, so a graph compares it with "3" and not with 3, or takes a number from a tool that gives one.
- One run is one time. Never wait for a date or repeat in a graph: when it runs is a schedule beside it, which is not your work.
- Use only the tools below, with inputs that fit their schemas. No secrets and no made-up addresses: what the person did not name is an input of the graph.`;

function formatOf(kinds: readonly NodeKind[]): string {
  const own = instructionNodes.map(({ shape }) => kindText(shape.kind.value, shape.kind.description ?? '', shape));
  const contributed = kinds.map(({ kind, about, fields }) => kindText(kind, about, fields));
  return [
    `Fields of the graph:\n${fieldLines(Graph.shape)}`,
    `Fields of every node:\n${fieldLines(commonFields)}`,
    `Fields of an edge (also "option": the branch it follows):\n${fieldLines(Edge.shape)}`,
    `Kinds of nodes:\n${[...own, ...contributed].join('\n')}`,
  ].join('\n\n');
}

function kindText(kind: string, about: string, fields: z.ZodRawShape): string {
  const own = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'kind' && !(name in commonFields)));
  return `${kind}: ${about}\n${fieldLines(own)}`;
}

function fieldLines(fields: z.ZodRawShape): string {
  return Object.entries(fields)
    .map(([name, schema]) => `- ${name}: ${aboutField(schema as z.ZodType)}`)
    .join('\n');
}

/** The words of a field, also of one that may be left out, and its values where there are only a few. */
function aboutField(schema: z.ZodType): string {
  const values = schema instanceof z.ZodEnum ? `One of ${schema.options.join(', ')}. ` : '';
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  const inner = isWrapped ? aboutField(schema.unwrap() as z.ZodType) : '';
  return `${values}${schema.description ?? inner}`;
}

const toolLine = ({ name, about, input }: BuilderTool): string => `- ${name}: ${about} ${JSON.stringify(input)}`;

/** The one JSON object in an answer; a fence around it is taken off. */
export function readBuiltGraph(answer: string): { graph: { [field: string]: Json } } | { problem: string } {
  const text = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(answer)?.[1] ?? answer;
  try {
    const value: unknown = JSON.parse(text);
    if (isJson(value) && value !== null && typeof value === 'object' && !Array.isArray(value)) return { graph: value };
    return { problem: 'the answer is no JSON object' };
  } catch (error) {
    return { problem: `the answer is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
