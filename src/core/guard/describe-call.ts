/** Owns: describing to a person what a call would do. Pure. */
import type { Json } from '../schema/json.ts';
import type { ToolCall } from '../schema/tool.ts';
import type { Asked } from '../schema/wait.ts';
import { isOwnMachine } from './host-names.ts';
import { type Described, grantOf } from './judge-call.ts';
import { unusualCharacters, shorten, escapeInvisible, escapeInvisibleLine } from './escape-invisible.ts';

/** What an approval is bound to, besides the call itself. */
export type Around = {
  /** Hash of the policy. */
  policy: string;
  /** The folder a command would start in, relative to the desk; null if the call is not a command. */
  dir: string | null;
  /** Names of the environment variables of the command. */
  env: readonly string[];
  /** Files that the command names, with their content. */
  files: readonly { path: string; sha256: string }[];
  /** Hosts that the command names or refers to; it reaches these and no others. */
  hosts?: readonly string[];
  /** What the approval does not cover, in words. */
  unbound?: readonly string[];
  /** Scripts of the project that the command starts. */
  scripts?: readonly { path: string; name: string; text: string }[];
};

/** A longer command cannot be shown, and what cannot be shown cannot be approved. */
const MOST_COMMAND = 40_000;
const MOST_VALUE = 600;
const MOST_FIELD = 2000;

type DescribedCall = Pick<ToolCall, 'tool' | 'author' | 'input' | 'origins'>;

/** Null if the call is too long to be shown to a person. */
export function describeCall(call: DescribedCall, facts: Described, why: string, around: Around): Asked | null {
  const command = facts.command ? commandIn(call.input) : inputOf(call.input);
  if (command.length > MOST_COMMAND) return null;
  return {
    tool: call.tool,
    class: facts.class,
    author: call.author,
    command,
    why: shorten(escapeInvisibleLine(why), 3000),
    ...(around.dir === null ? {} : { dir: shorten(escapeInvisibleLine(around.dir), MOST_FIELD) }),
    env: [...around.env].slice(0, 200),
    values: valuesOf(call),
    changes: [...changesOf(facts), ...serverWords(facts), ...secretsOf(call.input)],
    files: around.files
      .slice(0, 200)
      .map(({ path, sha256 }) => ({ path: shorten(escapeInvisibleLine(path), MOST_FIELD), sha256 })),
    ...(around.unbound === undefined || around.unbound.length === 0
      ? {}
      : { unbound: around.unbound.slice(0, 50).map((line) => shorten(escapeInvisibleLine(line), 1000)) }),
    ...(around.scripts === undefined || around.scripts.length === 0
      ? {}
      : { contents: around.scripts.slice(0, 20).map(showScript) }),
    ...(facts.command && facts.class === 'external_mutation' ? { may_name_hosts: true as const } : {}),
    odd: unusualCharacters(displayValue(call.input)),
    ...(isPlain(facts) && facts.asksEachTime !== true ? { grant: grantOf(facts, around.policy) } : {}),
  };
}

const showScript = ({ path, name, text }: { path: string; name: string; text: string }) => ({
  path: shorten(escapeInvisibleLine(`${path}: ${name}`), MOST_FIELD),
  why: 'the command runs this script',
  text: shorten(escapeInvisible(text), 4000),
});

/** A call with excessively long names cannot be allowed for a whole run. */
function isPlain({ programs, hosts }: Described): boolean {
  return [programs, hosts].every((words) => words.length <= 100 && words.every((word) => word.length <= 250));
}

/** Arguments are shown one by one, so that no blank or quote can hide where one ends. */
function commandIn(input: Json): string {
  const { line, argv } = fieldsOf(input);
  if (typeof line === 'string') return escapeInvisible(line);
  return Array.isArray(argv)
    ? argv.map((word) => escapeInvisibleLine(quoteWord(asText(word)))).join(' ')
    : inputOf(input);
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Of a long text, such as the content of a file, only start and end are shown; the approval is bound to all of it. */
function inputOf(input: Json): string {
  const shown = JSON.stringify(
    input,
    (_, value: unknown) => (typeof value === 'string' ? shorten(value, MOST_FIELD) : value),
    2,
  );
  return shorten(escapeInvisible(shown), MOST_COMMAND);
}

function valuesOf(call: DescribedCall): Asked['values'] {
  const fields = fieldsOf(call.input);
  return Object.entries(call.origins())
    .slice(0, 50)
    .map(([field, origin]) => ({
      field: field.slice(0, 120),
      value: shorten(escapeInvisibleLine(asText(fields[field] ?? null)), MOST_VALUE),
      origin,
    }));
}

function changesOf({ class: effect, command, programs, paths, hosts }: Described): string[] {
  const list = (words: readonly string[]): string => shorten(escapeInvisibleLine([...new Set(words)].join(', ')), 1500);
  return [
    WHAT_CHANGES[effect],
    ...(programs.length === 0 ? [] : [`It would start: ${list(programs)}`]),
    ...(paths.length === 0 ? [] : [`It names these paths: ${list(paths)}`]),
    ...(hosts.length === 0 ? [] : [`It would connect to: ${list(hosts)}${command ? ', and to no other host' : ''}`]),
    ...ownNetworkNote(hosts),
    ...(command && hosts.length === 0 && effect === 'external_mutation'
      ? [
          'It is not known which host it would connect to, so it reaches none, unless you name hosts with your approval.',
        ]
      : []),
  ];
}

/** An id and the name of a tool tell a person little; what the server says of the tool tells more, if it can be believed. */
function serverWords({ tool, about, class: effect }: Described): string[] {
  if (about === undefined) return [];
  const [, server = '', ...name] = tool.split('.');
  const words = shorten(escapeInvisibleLine(about.replaceAll(/\s+/g, ' ').trim()), 600);
  const said = words === '' ? 'says nothing of it' : `says of it: "${words}"`;
  const isChanging = effect !== 'read';
  return [
    `${name.join('.')} is a tool of the server ${server}, which ${said}`.slice(0, 1900),
    ...(isChanging
      ? [
          `to call it without a question from now on, if it only reads: oka mcp tools ${server} --accept --read ${name.join('.')}`,
        ]
      : []),
  ];
}

/** What it means to open a machine of the own network. */
function ownNetworkNote(hosts: readonly string[]): string[] {
  const own = [...new Set(hosts.filter(isOwnMachine))];
  if (own.length === 0) return [];
  const names = shorten(escapeInvisibleLine(own.join(', ')), 1000);
  return [
    `${names} is on your own network, or this machine itself. Devices there often obey without asking who you are. The approval opens exactly this to this one call, and nothing else there.`,
  ];
}

/** The secrets that a call names; it gets their values only after the approval. */
function secretsOf(input: Json): string[] {
  const names = textsIn(input).flatMap((text) =>
    [...text.matchAll(/secret:([A-Za-z0-9][\w.-]{0,119})/g)].map(([, name]) => name ?? ''),
  );
  if (names.length === 0) return [];
  return [`It would get these secrets: ${shorten([...new Set(names)].join(', '), 1500)}`];
}

const WHAT_CHANGES: Readonly<Record<Described['class'], string>> = {
  read: 'It changes nothing.',
  write_local: 'It may change files on the desk.',
  external_mutation: 'It may change or send something outside this machine; that cannot be undone.',
  deny: 'Calls of this class are never run.',
};

function fieldsOf(input: Json): Record<string, Json> {
  return input !== null && typeof input === 'object' && !Array.isArray(input) ? input : {};
}

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const displayValue = (value: Json): string => textsIn(value).join('');

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);
}
