/** Owns: telling a person what a call would do, from what is known of it. Pure. */
import type { Json } from '../schema/json.ts';
import type { ToolCall } from '../schema/tool.ts';
import type { Asked } from '../schema/wait.ts';
import { type Described, grantOf } from './judge.ts';
import { oddIn, shortened, visible, visibleLine } from './visible.ts';

/** What an approval is bound to besides the call itself. */
export type Around = {
  /** Hash of the policy. */
  policy: string;
  /** The folder a command would start in, seen from the desk; null for what is no command. */
  dir: string | null;
  /** Names of the variables a command would see. */
  env: readonly string[];
  /** Files that the command names, with what was in them. */
  files: readonly { path: string; sha256: string }[];
};

/** A command longer than this cannot be shown, and what cannot be shown cannot be approved. */
const MOST_COMMAND = 40_000;
const MOST_VALUE = 600;
const MOST_FIELD = 2000;

/** Null when it is too long for a person to look at. */
export function askedOf(call: ToolCall, facts: Described, why: string, around: Around): Asked | null {
  const command = facts.command ? commandIn(call.input) : inputOf(call.input);
  if (command.length > MOST_COMMAND) return null;
  return {
    tool: call.tool,
    class: facts.class,
    author: call.author,
    command,
    why: shortened(visibleLine(why), 3000),
    ...(around.dir === null ? {} : { dir: shortened(visibleLine(around.dir), MOST_FIELD) }),
    env: [...around.env].slice(0, 200),
    values: valuesOf(call),
    changes: changesOf(facts),
    files: around.files
      .slice(0, 200)
      .map(({ path, sha256 }) => ({ path: shortened(visibleLine(path), MOST_FIELD), sha256 })),
    odd: oddIn(textOf(call.input)),
    ...(isPlain(facts) ? { grant: grantOf(facts, around.policy) } : {}),
  };
}

/** What has names beyond all measure is not allowed for a whole run. */
function isPlain({ programs, hosts }: Described): boolean {
  return [programs, hosts].every((words) => words.length <= 100 && words.every((word) => word.length <= 250));
}

/** The words of an argv are shown one by one, so that no blank or quote can hide where one ends. */
function commandIn(input: Json): string {
  const { line, argv } = fieldsOf(input);
  if (typeof line === 'string') return visible(line);
  return Array.isArray(argv) ? argv.map((word) => visibleLine(quoted(asText(word)))).join(' ') : inputOf(input);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Long texts, such as the content of a file, are shown by their ends; the approval is bound to all of it. */
function inputOf(input: Json): string {
  const shown = JSON.stringify(
    input,
    (_, value: unknown) => (typeof value === 'string' ? shortened(value, MOST_FIELD) : value),
    2,
  );
  return shortened(visible(shown), MOST_COMMAND);
}

function valuesOf(call: ToolCall): Asked['values'] {
  const fields = fieldsOf(call.input);
  return Object.entries(call.origins())
    .slice(0, 50)
    .map(([field, origin]) => ({
      field: field.slice(0, 120),
      value: shortened(visibleLine(asText(fields[field] ?? null)), MOST_VALUE),
      origin,
    }));
}

function changesOf({ class: effect, command, programs, paths, hosts }: Described): string[] {
  const list = (words: readonly string[]): string => shortened(visibleLine([...new Set(words)].join(', ')), 1500);
  return [
    WHAT_CHANGES[effect],
    ...(programs.length === 0 ? [] : [`It would start: ${list(programs)}`]),
    ...(paths.length === 0 ? [] : [`It names these paths: ${list(paths)}`]),
    ...(hosts.length === 0 ? [] : [`It would reach: ${list(hosts)}`]),
    ...(command && hosts.length === 0 && effect === 'external_mutation'
      ? ['Which host it would reach is unknown.']
      : []),
  ];
}

const WHAT_CHANGES: Readonly<Record<Described['class'], string>> = {
  read: 'It changes nothing.',
  write_local: 'It may change files on the desk.',
  external_mutation: 'It may change or send something outside this machine; that cannot be taken back.',
  deny: 'It is of a kind that is never run.',
};

function fieldsOf(input: Json): Record<string, Json> {
  return input !== null && typeof input === 'object' && !Array.isArray(input) ? input : {};
}

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return '';
  return Object.values(value).map(textOf).join('');
}
