/**
 * Owns: a tool of a server as a tool of oka, named mcp.<server>.<tool>.
 *
 * M1 What a server claims about its tool (that it only reads, say) changes nothing: the class comes from the policy, and is
 *    external_mutation where the policy does not name the tool. So a call without an outcome is in doubt after a crash.
 * M3 Every argument to a server that can pass it on is a request that leaves (core/guard/information-flow.ts).
 * M2 Every field of the input counts as a target: a value that came out of a tool is asked about.
 */
import { z } from 'zod';
import { findMismatch, findSchemaProblem } from '../../../core/schema/json-schema.ts';
import type { SideEffectClass } from '../../../core/schema/effect.ts';
import { isJson, type Json } from '../../../core/schema/json.ts';
import type { ToolDefinition } from '../../../core/schema/mcp.ts';
import { type Outcome, type Tool, ToolAnnotations, type ToolCall } from '../../../core/schema/tool.ts';
import { escapeInvisible } from '../../../core/guard/escape-invisible.ts';
import { CallOutput } from './call-outcome.ts';
import { saysDeprecated } from '../../../kit/task/offers.ts';
import { isDeprecated, shownDescription } from './compare-tools.ts';

type McpToolPorts = {
  classOf: (tool: string) => SideEffectClass;
  /** Whether a server could pass on what it is given: it is elsewhere, or its process reaches the network. */
  passesOn?: (server: string) => boolean;
  /** By name: who has allowed every call of a tool. */
  allowed?: ReadonlyMap<string, string>;
  call: (server: string, tool: ToolDefinition, args: Record<string, Json>, call: ToolCall) => Promise<Outcome>;
};

export const mcpToolName = (server: string, tool: string): string => `mcp.${server}.${tool}`;

export function createMcpTool(server: string, definition: ToolDefinition, ports: McpToolPorts): Tool {
  const name = mcpToolName(server, definition.name);
  const { properties = {} } = definition.inputSchema;
  return {
    name,
    about: `${isMarked(definition) ? 'Deprecated. ' : ''}${shownDescription(definition) || `A tool of the server ${server}.`}`,
    input: inputSchema(definition),
    output: CallOutput,
    annotations: ToolAnnotations.parse({ destructive: true, risk: 'high' }),
    targets: isObject(properties) ? Object.keys(properties) : [],
    ...(ports.passesOn?.(server) === true ? { passesTo: server } : {}),
    ...allowedBy(ports.allowed?.get(name)),
    classOf: () => ports.classOf(name),
    invoke: (input, call) => ports.call(server, definition, (input ?? {}) as Record<string, Json>, call),
  };
}

const allowedBy = (by: string | undefined): { allowedBy?: string } => (by === undefined ? {} : { allowedBy: by });

/** A server can say in a field, and not in its words, that it advises against a tool. */
const isMarked = (definition: ToolDefinition): boolean =>
  isDeprecated(definition) && !saysDeprecated(shownDescription(definition));

/** Checks what can be checked of the input, and shows models the schema of the server, with nothing hidden in its words. */
function inputSchema({ inputSchema: schema }: ToolDefinition): z.ZodType {
  const required = Array.isArray(schema['required'])
    ? schema['required'].filter((each) => typeof each === 'string')
    : [];
  const isKnown = findSchemaProblem(schema) === null;
  const type = z.custom<Record<string, Json>>((value) => findProblem(value) === null, {
    error: ({ input }) => findProblem(input) ?? '',
  });
  const shown = { type: 'object', ...(showWords(schema) as Record<string, Json>) };
  type._zod.toJSONSchema = () => structuredClone(shown); // whoever asks changes what it gets
  return type;

  function findProblem(value: unknown): string | null {
    if (!isObject(value) || !isJson(value)) return 'it is not an object';
    const missing = required.find((key) => !Object.hasOwn(value, key));
    if (missing !== undefined) return `"${missing}" is missing`;
    return isKnown ? findMismatch(schema, value) : null;
  }
}

const MOST_WORDS = 2000;

/** The schema with its descriptions and titles made visible. */
function showWords(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(showWords);
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [
      key,
      (key === 'description' || key === 'title') && typeof inside === 'string'
        ? escapeInvisible(inside).slice(0, MOST_WORDS)
        : showWords(inside),
    ]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
