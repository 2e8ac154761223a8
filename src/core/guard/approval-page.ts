/**
 * Owns: the page that asks a person for an approval, and what counts as an answer. Pure.
 *
 * A1 A page is rendered from the open wait alone: the same wait gives the same bytes, also after a restart. Only the line
 *    about an edit that was not understood is added to it.
 * A2 An answer is the page as it was written, with `decision:` and perhaps `note:` and `hosts:` filled in. If anything else
 *    differs, it is not an answer.
 * A3 A decision is one plain word for yes or for no, in ASCII letters; everything else is answered on the page itself, in a
 *    line that is no part of what is compared (A2).
 * A4 An answer through any other channel names the binding of the wait, so that it fits one question only.
 */
import type { Asked, WaitAnswer, WaitFor } from '../schema/wait.ts';
import { OkaError } from '../schema/errors.ts';
import { parseApprovedHosts } from './approved-hosts.ts';
import { shorten, escapeInvisibleLine } from './escape-invisible.ts';

export type Approval = Extract<WaitFor, { kind: 'approval' }>;

/** An approval that a run is waiting for. */
export type Open = { wait: string; run: string; node: string | null; for: Approval };

export type Read =
  | { kind: 'untouched' }
  | { kind: 'answer'; verdict: 'approved' | 'denied'; note: string | null; hosts: readonly string[]; isAlways?: true }
  | { kind: 'refused'; reason: string };

const DECISION = 'decision:';
const NOTE = 'note:';
const HOSTS = 'hosts:';
const MOST_NOTE = 1000;

/** The first lines of every page; a file that starts otherwise was not written by oka. */
export function pageOpening(wait: string): string {
  return `---\noka: approval\nwait: ${wait}\n`;
}

/** `problem` is why the last edit does not count. */
export function renderApprovalPage({ wait, run, node, for: asking }: Open, problem: string | null = null): string {
  const { asked } = asking;
  const body = asked === undefined ? [indent(asking.text)] : renderBody(asked);
  return `${[
    `${pageOpening(wait)}binding: ${asking.binding}`,
    `expires: ${asking.expires ?? 'never'}`,
    DECISION,
    NOTE,
    ...(asked?.may_name_hosts === true ? [HOSTS] : []),
    '---',
    '',
    ...(problem === null ? [] : [problemLine(problem), '']),
    titleOf(asking),
    '',
    `Run ${run}${node === null ? '' : `, step ${node}`}${asked === undefined ? '' : `. Class: ${asked.class}. Written by: ${asked.author}.`}`,
    '',
    ...body,
    '',
    ...renderInstructions(wait, asked?.may_name_hosts === true, asked?.may_be_always === true ? asked.tool : null),
  ].join('\n')}\n`;
}

const PROBLEM = '**Your answer was not understood:** ';
const MOST_PROBLEM = 500;

const problemLine = (problem: string): string =>
  `${PROBLEM}${shorten(escapeInvisibleLine(problem), MOST_PROBLEM)}. Nothing was decided; answer again above.`;

/** The line about an edit before this one is left out; it stands right below the front matter, or nowhere. */
function withoutProblem(lines: readonly string[]): string[] {
  const end = lines.indexOf('---', 1);
  const hasProblem = end !== -1 && lines[end + 2]?.startsWith(PROBLEM) === true && lines[end + 3] === '';
  return hasProblem ? lines.toSpliced(end + 2, 2) : [...lines];
}

function titleOf({ aside, asked }: Approval): string {
  if (aside !== undefined) return '# May these files be put in place?';
  return asked?.tool === 'folders' ? '# May this task use these folders?' : `# May ${asked?.tool ?? 'this'} run?`;
}

function renderBody(asked: Asked): string[] {
  const { dir, env, values, changes, files, unbound = [], contents = [], more = [], odd } = asked;
  return [
    ...(asked.task === undefined ? [] : [`**${asked.task}**`, '']),
    indent(asked.command),
    '',
    `You are asked because ${asked.why}.`,
    ...section('Careful: it contains characters that may look like others', odd),
    ...section('What it would change', changes),
    ...more.flatMap(({ title, lines }) => section(title, lines)),
    ...section(
      'Where the values came from',
      values.map(({ field, value, origin }) => `${field}: ${origin}: ${value}`),
    ),
    ...section(
      'Files it names, as they are now',
      files.map(({ path, sha256 }) => `${path} (${sha256.slice(0, 12)})`),
    ),
    ...contents.flatMap(({ path, why, text }) => ['', `## ${path}`, '', `Why it matters: ${why}.`, '', indent(text)]),
    ...section('Not covered: it may change before this runs, and you are not asked again', unbound),
    ...section('Environment', [
      ...(dir === undefined ? [] : [`Folder, relative to the desk: ${dir}`]),
      ...(env.length === 0 ? [] : [`Environment variables: ${env.join(', ')}`]),
    ]),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines.map((line) => `- ${line}`)];
}

/** Renders an indented code block, which no text in it can end. */
function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`.trimEnd())
    .join('\n');
}

/** `tool` is the one that the answer may allow for good. */
function renderInstructions(wait: string, mayNameHosts: boolean, tool: string | null): string[] {
  return [
    '## How to answer',
    '',
    'Write approve or deny (or yes or no) after decision: at the top of this page and save it. Text after note: is',
    'recorded with it.',
    ...(mayNameHosts
      ? [
          'Hosts after hosts: (such as git.example.org, 10.0.0.5:3000) are reached by this command besides those named above.',
        ]
      : []),
    ...(tool === null
      ? []
      : [`Write always instead to allow every call of ${tool}, in all runs, as long as you want; rules still count.`]),
    'Change nothing else: a page with any other change does not count as an answer and is written again.',
    `Or: oka approve ${wait}${mayNameHosts ? ' [--host HOST[:PORT]]' : ''}`,
    ...(tool === null ? [] : [`Or: oka approve ${wait} --always-for-this-tool`]),
    `Or: oka deny ${wait}`,
    'The answer applies to this one attempt. If the command, its folder, a file it names or the policy',
    'changes before it runs, you are asked again.',
  ];
}

/** What an edited page says. */
export function readAnswer(page: string, text: string): Read {
  const [wanted, found] = [linesOf(page), withoutProblem(linesOf(text))];
  if (found.length !== wanted.length) return refuse(`it has ${found.length} lines instead of ${wanted.length}`);
  const end = wanted.indexOf('---', 1);
  const fields = [DECISION, NOTE, HOSTS].filter((field) => wanted.slice(0, end).includes(field));
  const places = fields.map((field) => wanted.indexOf(field));
  const changed = wanted.findIndex((line, index) => line !== found[index] && !places.includes(index));
  if (changed !== -1) return refuse(`line ${changed + 1} was changed, and only ${fields.join(' and ')} may be`);
  const [decision, note, hosts = ''] = fields.map((field, index) => valueAt(found, places[index], field));
  if (typeof decision !== 'string' || typeof note !== 'string' || typeof hosts !== 'string')
    return refuse(`the line ${fields.join(' or ')} is missing or was changed`);
  if (note.length > MOST_NOTE) return refuse(`the note is longer than ${MOST_NOTE} characters`);
  const mayBeAlways = wanted.some((line) => line.startsWith('Write always instead'));
  return toDecision(decision, note === '' ? null : escapeInvisibleLine(note), hosts, mayBeAlways);
}

const YES = /^(?:approve|approved|yes|y)$/i;
const NO = /^(?:deny|denied|no|n)$/i;

function toDecision(decision: string, note: string | null, hosts: string, mayBeAlways: boolean): Read {
  if (decision === '') return { kind: 'untouched' };
  if (NO.test(decision)) return { kind: 'answer', verdict: 'denied', note, hosts: [] };
  if (mayBeAlways && /^always$/i.test(decision))
    return { kind: 'answer', verdict: 'approved', note, hosts: [], isAlways: true };
  if (YES.test(decision)) return withHosts({ kind: 'answer', verdict: 'approved', note, hosts: [] }, hosts);
  return refuse(`"${shorten(escapeInvisibleLine(decision), 100)}" is neither approve nor deny`);
}

/** Hosts are separated by commas or blanks; brackets around the list are allowed, as in YAML. */
function withHosts(answer: Extract<Read, { kind: 'answer' }>, text: string): Read {
  const words = text
    .replace(/^\[(.*)\]$/, '$1')
    .split(/[\s,]+/)
    .filter(Boolean);
  try {
    return { ...answer, hosts: parseApprovedHosts(words) };
  } catch (error) {
    if (error instanceof OkaError) return refuse(escapeInvisibleLine(error.message));
    throw error;
  }
}

const refuse = (reason: string): Read => ({ kind: 'refused', reason });

/** Line ends and the end of the file may differ, since editors change them. */
function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replace(/\n+$/, '')
    .split('\n');
}

function valueAt(lines: readonly string[], index: number | undefined, field: string): string | null {
  const line = lines[index ?? -1];
  return line?.startsWith(field) === true ? line.slice(field.length).replaceAll(/^[ \t]+|[ \t]+$/g, '') : null;
}

/** Why an answer to an open wait does not count; null if it does. */
export function refusalOf(asking: WaitFor, answer: WaitAnswer, now: number): string | null {
  if (asking.kind !== 'approval')
    return answer.always === true ||
      answer.always_for_tool !== undefined ||
      answer.binding !== undefined ||
      answer.hosts !== undefined
      ? 'the run is not waiting for an approval'
      : null;
  if (answer.verdict !== 'approved' && answer.verdict !== 'denied')
    return `an approval is approved or denied, not ${answer.verdict}`;
  if (answer.binding === undefined) return 'the binding is missing, so it is not clear what it approves';
  if (answer.binding !== asking.binding) return 'its binding belongs to another question';
  if (answer.hosts !== undefined && (asking.asked?.may_name_hosts !== true || answer.verdict !== 'approved'))
    return 'it names hosts, which only the approval of a command that may change something outside can do';
  if (answer.always_for_tool !== undefined && !mayBeAlways(asking, answer))
    return 'it allows every call of the tool, which only the approval of a tool of a server can do';
  return isExpired(asking, now) ? `it came too late: the question expired at ${asking.expires}` : null;
}

const mayBeAlways = ({ asked }: Approval, { verdict, always_for_tool: tool }: WaitAnswer): boolean =>
  asked?.may_be_always === true && asked.tool === tool && verdict === 'approved';

export function isExpired({ expires }: Approval, now: number): boolean {
  return expires !== undefined && Date.parse(expires) <= now;
}
