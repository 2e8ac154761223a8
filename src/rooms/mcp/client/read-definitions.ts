/**
 * Owns: what of a server's list of tools can be used, and the form in which a tool is compared and accepted.
 *
 * D1 A tool that cannot be used costs only itself, and the reason is known. Two tools of one name are both refused.
 * D2 The canonical form has name, title, description, schemas and annotations, with sorted keys: two servers that say the same
 *    give the same text.
 */
import { hasInvisible } from '../../../core/guard/escape-invisible.ts';
import { isJson, type Json } from '../../../core/schema/json.ts';
import type { ToolDefinition } from '../../../core/schema/mcp.ts';
import { toOneLine } from '../../../core/schema/one-line.ts';

export type RefusedTool = { name: string; why: string };
export type ReadDefinitions = { tools: ToolDefinition[]; refused: RefusedTool[] };

const NAME = /^[A-Za-z0-9][A-Za-z0-9_./-]{0,63}$/;
const MOST_BYTES = 65_536;
const DEEPEST = 40;

export function readDefinitions(listed: readonly unknown[]): ReadDefinitions {
  const found: ReadDefinitions = { tools: [], refused: [] };
  const counts = new Map<string, number>();
  for (const each of listed) {
    const key = comparableName(textIn(each, 'name') ?? '');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const each of listed) {
    const name = textIn(each, 'name') ?? '';
    const read =
      (counts.get(comparableName(name)) ?? 0) > 1 ? 'there are two tools of this name' : readDefinition(each);
    if (typeof read !== 'string') found.tools.push(read);
    else if (!found.refused.some((other) => other.name === name && other.why === read))
      found.refused.push({ name: shownName(name), why: read });
  }
  found.tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  return found;
}

/** Names that models cannot tell apart: providers allow no dots, and case is easily mistaken. */
const comparableName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');

/** The definition, or why it cannot be used. */
function readDefinition(listed: unknown): ToolDefinition | string {
  if (!isObject(listed)) return 'it is not an object';
  const { name, title, description, inputSchema = { type: 'object' }, outputSchema, annotations } = listed;
  if (typeof name !== 'string' || !NAME.test(name))
    return 'its name is not made of letters, digits, _ . / and -, or has more than 64 of them';
  if (!isObject(inputSchema) || !isJson(inputSchema)) return 'the schema of its input is not an object';
  if (inputSchema['type'] !== undefined && inputSchema['type'] !== 'object') return 'its input is not an object';
  const problem = keyProblem(inputSchema, 0);
  if (problem !== null) return problem;
  const read: ToolDefinition = {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema: inputSchema,
    ...(isObject(outputSchema) && isJson(outputSchema) ? { outputSchema: outputSchema } : {}),
    ...(isObject(annotations) && isJson(annotations) ? { annotations: annotations } : {}),
  };
  const size = Buffer.byteLength(canonicalText(read));
  return size > MOST_BYTES ? `its description and schemas have ${size} bytes, and ${MOST_BYTES} are allowed` : read;
}

/** A name in a schema is shown to models and people, and is sent back: it has to be what it seems to be. */
function keyProblem(value: Json, depth: number): string | null {
  if (depth > DEEPEST) return 'its schema is nested too deeply';
  if (value === null || typeof value !== 'object') return null;
  for (const [key, inside] of Object.entries(value)) {
    if (hasInvisible(key)) return `a name in its schema has characters that cannot be seen`;
    const found = keyProblem(inside, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** The same for the same definition, whatever the order of its fields. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(sortKeys(value as Json));
}

function sortKeys(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inside]) => [key, sortKeys(inside)]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function textIn(value: unknown, key: string): string | null {
  const found = isObject(value) ? value[key] : null;
  return typeof found === 'string' ? found : null;
}

const shownName = (name: string): string => (name === '' ? '(without a name)' : toOneLine(name, 80));
