/**
 * Owns: whether an input that a model has changed still acts on the same: the same hosts, paths and programs, by what the
 * guard knows of a call, with no secret and no network that was not there before.
 *
 * C1 Of a command the programs, paths and hosts stay; of a URL everything but the query; any other target word for word.
 * C2 No field is added, and the class of the call does not rise.
 */
import type { SideEffectClass } from '../schema/effect.ts';
import type { Json } from '../schema/json.ts';
import { jsonField } from '../schema/json-field.ts';
import type { ToolCall } from '../schema/tool.ts';
import type { Describe, Described } from './judge-call.ts';

/** Fields that decide what a call may use, whatever its tool says its targets are. */
const FIXED = ['net', 'net_refused', 'offline', 'key', 'secrets', 'headers', 'method'];
const COMMAND = ['argv', 'line'];
const RANKS: Readonly<Record<SideEffectClass, number>> = { read: 0, write_local: 1, external_mutation: 2, deny: 3 };

/** Why the changed call is another one, or null. `targets` are the target fields of its tool. */
export function changedInputProblem(
  before: ToolCall,
  after: ToolCall,
  targets: readonly string[],
  describe: Describe,
): string | null {
  const [was, is] = [describe(before), describe(after)];
  if (RANKS[after.class] > RANKS[before.class]) return `the call would be ${after.class}, and was ${before.class}`;
  const fixed = was.command ? targets.filter((field) => !COMMAND.includes(field)) : targets;
  const field = [...fixed, ...FIXED].find(
    (name) => !isSameTarget(jsonField(before.input, name), jsonField(after.input, name)),
  );
  if (field !== undefined) return `"${field}" must stay as it was`;
  const added = keysOf(after.input).find((key) => !keysOf(before.input).includes(key));
  if (added !== undefined) return `"${added}" was not there before`;
  if (!isObject(before.input) && targets.length > 0) return 'its input is not an object';
  return secretProblem(before.input, after.input) ?? factsProblem(was, is);
}

function factsProblem(was: Described, is: Described): string | null {
  const kinds = ['programs', 'paths', 'hosts'] as const;
  const changed = kinds.find((kind) => sorted(was[kind]) !== sorted(is[kind]));
  return changed === undefined ? null : `its ${changed} must stay as they were: ${was[changed].join(', ') || 'none'}`;
}

const sorted = (words: readonly string[]): string => JSON.stringify([...new Set(words)].toSorted());

function isSameTarget(before: Json, after: Json): boolean {
  if (typeof before === 'string' && typeof after === 'string' && URL.canParse(before) && URL.canParse(after))
    return withoutQuery(before) === withoutQuery(after);
  return JSON.stringify(before) === JSON.stringify(after);
}

function withoutQuery(text: string): string {
  const url = new URL(text);
  url.search = '';
  url.hash = '';
  return url.href;
}

function secretProblem(before: Json, after: Json): string | null {
  const known = new Set(secretsIn(before));
  const added = secretsIn(after).find((name) => !known.has(name));
  return added === undefined ? null : `it names ${added}, which it did not before`;
}

const secretsIn = (input: Json): string[] => JSON.stringify(input).match(/secret:[A-Za-z0-9_.-]+/g) ?? [];

const isObject = (value: Json): boolean => value !== null && typeof value === 'object' && !Array.isArray(value);
const keysOf = (value: Json): string[] => (isObject(value) ? Object.keys(value as object) : []);
