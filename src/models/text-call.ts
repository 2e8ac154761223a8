/** Owns: tool calls written as text, as small models do. One counts if it is unmistakable: one call of an existing tool. */
import { isJson, type Json } from '../schema/json.ts';
import type { ModelAnswer, ModelTool } from '../schema/ports.ts';

type Call = NonNullable<ModelAnswer['call']>;

const LONGEST = 200_000;
const MOST_STARTS = 64;

/** Null unless the text contains exactly one call. `tools` are the names that a model may use. */
export function parseTextCall(text: string, tools: readonly Pick<ModelTool, 'name'>[]): Call | null {
  if (text.length > LONGEST) return null;
  const known = new Set(tools.map((tool) => tool.name));
  const calls = objectsIn(text).flatMap((found) => callsIn(found, known));
  const distinct = new Map(calls.map((call) => [JSON.stringify([call.name, call.input]), call]));
  const [only] = distinct.values();
  return distinct.size === 1 && only !== undefined ? only : null;
}

function callsIn(found: Json, known: ReadonlySet<string>): Call[] {
  if (Array.isArray(found)) return found.flatMap((each) => callsIn(each, known));
  if (found === null || typeof found !== 'object') return [];
  if (Array.isArray(found['tool_calls'])) return callsIn(found['tool_calls'], known);
  const inner = found['function'];
  if (inner !== null && typeof inner === 'object') return callsIn(inner, known);
  const name = found['name'] ?? found['tool'] ?? inner;
  const input = inputOf(found['input'] ?? found['arguments'] ?? found['args'] ?? found['parameters'] ?? {});
  return typeof name === 'string' && known.has(name) && input !== null ? [{ name, input }] : [];
}

/** Arguments may be JSON inside a string. */
function inputOf(given: Json): Json {
  const value = typeof given === 'string' ? parseJson(given) : given;
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
}

/** The outermost JSON values in a text, wherever they are: alone, in a fence, between tags or in prose. */
function objectsIn(text: string): Json[] {
  const found: Json[] = [];
  let starts = 0;
  for (let at = nextStart(text, 0); at >= 0 && starts < MOST_STARTS; starts += 1) {
    const end = endOf(text, at);
    const value = end < 0 ? null : parseJson(text.slice(at, end));
    if (value !== null) found.push(value);
    at = nextStart(text, value === null ? at + 1 : end);
  }
  return found;
}

function nextStart(text: string, from: number): number {
  const next = text.slice(from).search(/[{[]/);
  return next < 0 ? -1 : from + next;
}

/** The position after the bracket that closes the one at `start`; -1 if none does. */
function endOf(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (quoted && char === '\\') at += 1;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '{' || char === '[')) depth += 1;
    else if (!quoted && (char === '}' || char === ']')) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function parseJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}
