/**
 * Owns: the page that asks a person, and what counts as an answer. Pure.
 *
 * A1 A page is made from the open wait alone: the same wait gives the same bytes, today and after a restart.
 * A2 An answer is the page as it was written, with `decision:` filled in and perhaps `note:`. Whatever else differs, it
 *    is no answer.
 * A3 Only approve and deny, letter by letter, decide.
 * A4 Whoever answers in another way names the binding of the wait, so that an answer fits one question only.
 */
import type { Asked, WaitAnswer, WaitFor } from '../schema/wait.ts';
import { shortened, visibleLine } from './visible.ts';

export type Approval = Extract<WaitFor, { kind: 'approval' }>;

/** An approval that somebody waits for. */
export type Open = { wait: string; run: string; node: string | null; for: Approval };

export type Read =
  | { kind: 'untouched' }
  | { kind: 'answer'; verdict: 'approved' | 'denied'; note: string | null }
  | { kind: 'refused'; reason: string };

const DECISION = 'decision:';
const NOTE = 'note:';
const MOST_NOTE = 1000;

/** The first lines of every page; what does not begin so was not written by oka. */
export function openingOf(wait: string): string {
  return `---\noka: approval\nwait: ${wait}\n`;
}

export function pageOf({ wait, run, node, for: asking }: Open): string {
  const { asked } = asking;
  const body = asked === undefined ? [indented(asking.text)] : bodyOf(asked);
  return `${[
    `${openingOf(wait)}binding: ${asking.binding}`,
    `expires: ${asking.expires ?? 'never'}`,
    DECISION,
    NOTE,
    '---',
    '',
    `# May ${asked?.tool ?? 'this'} run?`,
    '',
    `Run ${run}${node === null ? '' : `, step ${node}`}${asked === undefined ? '' : `. Class: ${asked.class}. Written by: ${asked.author}.`}`,
    '',
    ...body,
    '',
    ...howTo(wait),
  ].join('\n')}\n`;
}

function bodyOf(asked: Asked): string[] {
  const { dir, env, values, changes, files, odd } = asked;
  return [
    indented(asked.command),
    '',
    `You are asked because ${asked.why}.`,
    ...section('Look closely: it holds characters that may look like others', odd),
    ...section('What it would change', changes),
    ...section(
      'Where the values came from',
      values.map(({ field, value, origin }) => `${field}: ${origin}: ${value}`),
    ),
    ...section(
      'Files it names, as they are now',
      files.map(({ path, sha256 }) => `${path} (${sha256.slice(0, 12)})`),
    ),
    ...section('Around it', [
      ...(dir === undefined ? [] : [`Folder, seen from the desk: ${dir}`]),
      ...(env.length === 0 ? [] : [`Variables it sees: ${env.join(', ')}`]),
    ]),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines.map((line) => `- ${line}`)];
}

/** As a block of code by indentation: no text in it can end the block. */
function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`.trimEnd())
    .join('\n');
}

function howTo(wait: string): string[] {
  return [
    '## How to answer',
    '',
    'Write approve or deny behind decision: at the top and save; a few words behind note: are kept.',
    'Change nothing else: a page that was changed elsewhere is not an answer and is written anew.',
    `Or: oka approve ${wait}`,
    `Or: oka deny ${wait}`,
    'The answer is for this one attempt. If the command, its folder, a file it names or the policy',
    'changes before it runs, you are asked again.',
  ];
}

/** What a person made of a page. */
export function readAnswer(page: string, text: string): Read {
  const [wanted, found] = [linesOf(page), linesOf(text)];
  if (found.length !== wanted.length) return refused(`it has ${found.length} lines instead of ${wanted.length}`);
  const places = [DECISION, NOTE].map((field) => wanted.indexOf(field));
  const changed = wanted.findIndex((line, index) => line !== found[index] && !places.includes(index));
  if (changed !== -1) return refused(`line ${changed + 1} was changed, and only decision: and note: may be`);
  const [decision, note] = [valueAt(found, places[0], DECISION), valueAt(found, places[1], NOTE)];
  if (decision === null || note === null) return refused('the line decision: or note: is not what it was');
  if (note.length > MOST_NOTE) return refused(`the note is longer than ${MOST_NOTE} characters`);
  return decided(decision, note === '' ? null : visibleLine(note));
}

function decided(decision: string, note: string | null): Read {
  if (decision === '') return { kind: 'untouched' };
  if (decision === 'approve') return { kind: 'answer', verdict: 'approved', note };
  if (decision === 'deny') return { kind: 'answer', verdict: 'denied', note };
  return refused(`"${shortened(visibleLine(decision), 100)}" is neither approve nor deny`);
}

const refused = (reason: string): Read => ({ kind: 'refused', reason });

/** Editors may end lines and files in their own way; nothing else is theirs to change. */
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

/** Why an answer to an open wait does not count, or null. */
export function refusalOf(asking: WaitFor, answer: WaitAnswer, now: number): string | null {
  if (asking.kind !== 'approval')
    return answer.always === true || answer.binding !== undefined ? 'what is awaited is not an approval' : null;
  if (answer.verdict !== 'approved' && answer.verdict !== 'denied')
    return `an approval is approved or denied, not ${answer.verdict}`;
  if (answer.binding === undefined) return 'it does not say what it approves: the binding is missing';
  if (answer.binding !== asking.binding) return 'it answers another question: the binding is not that of this wait';
  return isExpired(asking, now) ? `it came too late: the question ended at ${asking.expires}` : null;
}

export function isExpired({ expires }: Approval, now: number): boolean {
  return expires !== undefined && Date.parse(expires) <= now;
}
