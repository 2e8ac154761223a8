/**
 * Owns: judging whether the outcomes of a check's calls are what the check asks for.
 *
 * C1 A check whose subject could not be read has not passed.
 * C2 A file is judged completely or not at all: a long one is read in parts, and a text counts as missing only when every
 *    part was read.
 */
import { messageOf } from '../../../core/schema/errors.ts';
import { isJson, type Json } from '../../../core/schema/json.ts';
import type { NodeStatus } from '../../../core/schema/run.ts';
import type { Author, Outcome } from '../../../core/schema/tool.ts';
import type { Check } from '../../../kit/task/checks.ts';
import { compareJson } from '../../../kit/text/compare.ts';
import { matchesGlob } from '../../../kit/text/glob.ts';
import { testJson } from '../../../kit/text/json-test.ts';
import { compilePattern, searchPattern } from '../../../core/schema/pattern.ts';
import { countRows } from '../../../kit/text/count-rows.ts';
import { toOneLine } from '../../../core/schema/one-line.ts';

/** `seen` is false when nothing could be observed; it is then unknown whether the check would pass. */
export type Finding = { holds: boolean; evidence: string; seen: boolean };

export type CheckContext = {
  /** Folder of the task, relative to the desk. */
  dir?: string | undefined;
  /** Who wrote the check; nothing means the operator. */
  author?: Author;
  /** Paths in the desk that the run changed; null when unknown. */
  changed?: readonly string[] | null;
  steps?: readonly StepEnd[];
  /** The task speaks of an empty file, so that one may be what it asks for. */
  mayBeEmpty?: boolean;
};

/** How a step of the run ended. `fallback`: it failed, and the run continued with the output its author gave. */
export type StepEnd = { id: string; status: NodeStatus; reason: string; fallback: boolean };

/** Bytes of a file that one call reads. */
export const PART = 65_536;
const NOT_THERE = /^.{1,1100} (?:is not there|goes through something that is not a folder)\b/s;

export function findingOf(check: Check, outcomes: readonly Outcome[], around: CheckContext): Finding {
  const [first] = outcomes;
  switch (check.kind) {
    case 'file':
      return fileFinding(check, first, around);
    case 'folder':
      return folderFinding(check, first);
    case 'contains':
      return judgeText(check.path, outcomes, (text) => containsFinding(check, text));
    case 'matches':
      return judgeText(check.path, outcomes, (text) => matchFinding(check, text));
    case 'json':
      return judgeText(check.path, outcomes, (text) => jsonFinding(check, text));
    case 'rows':
      return judgeText(check.path, outcomes, (text) => rowsFinding(check, text));
    case 'command':
      return commandFinding(check.line, first);
    case 'http':
      return httpFinding(check, first);
    case 'unchanged':
      return unchangedFinding(check.globs, around);
    case 'steps':
      return stepsFinding(around.steps ?? []);
  }
}

function fileFinding(
  { path, want }: Extract<Check, { kind: 'file' }>,
  outcome: Outcome | undefined,
  { author, mayBeEmpty = false }: CheckContext,
): Finding {
  const size = readNumber(outcome, 'size');
  // A model that checks whether a file was made means one with something in it; a person says what is meant.
  if (size === 0 && want === 'there' && author === 'model' && !mayBeEmpty)
    return { holds: false, evidence: `${path} is there, but it is empty`, seen: true };
  if (size !== null) {
    const evidence = `${path} has ${size} bytes`;
    return { holds: want === 'there' || (want === 'filled' && size > 0), evidence, seen: true };
  }
  const missing = outcome?.status === 'failed' && NOT_THERE.test(outcome.error);
  return missing ? { holds: want === 'absent', evidence: `${path} is not there`, seen: true } : unseenFinding(outcome);
}

function folderFinding({ path, want }: Extract<Check, { kind: 'folder' }>, outcome: Outcome | undefined): Finding {
  const entries = outcome?.status === 'ok' ? readField(outcome.output, 'entries') : undefined;
  if (!Array.isArray(entries)) return unseenFinding(outcome);
  const evidence = entries.length > 0 ? `${path} has something in it` : `${path} is empty`;
  return { holds: want === 'there' || entries.length > 0, evidence, seen: true };
}

function judgeText(path: string, outcomes: readonly Outcome[], judge: (text: string) => Finding): Finding {
  const bad = outcomes.find((outcome) => outcome.status !== 'ok');
  const sizes = new Set(outcomes.map((outcome) => readNumber(outcome, 'size')));
  const [size] = sizes;
  if (bad !== undefined || size === undefined || size === null) return unseenFinding(bad);
  if (sizes.size > 1) return { holds: false, evidence: `${path} changed while it was read`, seen: false };
  if (outcomes.some((outcome) => outcome.status === 'ok' && readField(outcome.output, 'binary') === true))
    return { holds: false, evidence: `${path} is not text`, seen: true };
  if (outcomes.length < Math.ceil(size / PART))
    return { holds: false, evidence: `${path} has ${size} bytes, and not all of them were read`, seen: false };
  return judge(outcomes.map((outcome) => readText(outcome, 'content')).join(''));
}

function containsFinding({ path, text, want }: Extract<Check, { kind: 'contains' }>, content: string): Finding {
  const at = content.indexOf(text);
  if (at === -1) return { holds: !want, evidence: `"${toOneLine(text, 200)}" is not in ${path}`, seen: true };
  return { holds: want, evidence: `${path}, ${quoteLineAt(content, at)}`, seen: true };
}

function matchFinding({ path, pattern, flags }: Extract<Check, { kind: 'matches' }>, content: string): Finding {
  const compiled = compilePattern(pattern, flags);
  if ('problem' in compiled)
    return { holds: false, evidence: `/${pattern}/${flags}: ${compiled.problem}`, seen: false };
  const match = searchPattern(compiled, content);
  switch (match.kind) {
    case 'too long':
      return { holds: false, evidence: `${path} is too long for /${pattern}/`, seen: false };
    case 'none':
      return { holds: false, evidence: `nothing in ${path} matches /${pattern}/${flags}`, seen: true };
    case 'found':
      return { holds: true, evidence: `${path}, ${quoteLineAt(match.text, Math.max(0, match.end - 1))}`, seen: true };
  }
}

function jsonFinding({ path, test }: Extract<Check, { kind: 'json' }>, content: string): Finding {
  try {
    const document: unknown = JSON.parse(content);
    if (!isJson(document)) return { holds: false, evidence: `${path} is nested too deep`, seen: true };
    if (test === null) return { holds: true, evidence: `${path} is JSON: ${toOneLine(content, 100)}`, seen: true };
    const { holds, shown } = testJson(test, document);
    return { holds, evidence: `${path}: ${shown}`, seen: true };
  } catch (error) {
    return { holds: false, evidence: `${path} is not JSON: ${messageOf(error)}`, seen: true };
  }
}

function rowsFinding({ path, is, count }: Extract<Check, { kind: 'rows' }>, content: string): Finding {
  const rows = countRows(path, content);
  if (typeof rows === 'string') return { holds: false, evidence: `${path} ${rows}`, seen: true };
  return {
    holds: compareJson(rows, is, count),
    evidence: `${path} has ${rows} ${rows === 1 ? 'row' : 'rows'}`,
    seen: true,
  };
}

function commandFinding(line: string, outcome: Outcome | undefined): Finding {
  const what = `\`${toOneLine(line, 200)}\``;
  if (outcome?.status === 'failed') return { holds: false, evidence: `${what}: ${outcome.error}`, seen: true };
  const exit = readNumber(outcome, 'exit');
  if (exit === null) return unseenFinding(outcome);
  const written = [readText(outcome, 'stdout'), readText(outcome, 'stderr')].join('\n').trim();
  const evidence = `${what}: exit ${exit}${written === '' ? '' : `, it wrote: ${written.slice(-600)}`}`;
  return { holds: exit === 0, evidence, seen: true };
}

/** A status of 400 or more arrives as a failure whose message begins with it. */
function httpFinding({ url, status }: Extract<Check, { kind: 'http' }>, outcome: Outcome | undefined): Finding {
  const reported = outcome?.status === 'failed' ? /^\S+ answered (\d{3})\b/.exec(outcome.error)?.[1] : undefined;
  const answered = reported === undefined ? readNumber(outcome, 'status') : Number(reported);
  if (answered === null) {
    return outcome?.status === 'failed'
      ? { holds: false, evidence: outcome.error, seen: true }
      : unseenFinding(outcome);
  }
  const holds = status === null ? answered >= 200 && answered < 300 : answered === status;
  return { holds, evidence: `${url} answered ${answered}`, seen: true };
}

function unchangedFinding(globs: readonly string[], { changed, dir = '.' }: CheckContext): Finding {
  if (changed === undefined || changed === null)
    return { holds: false, evidence: 'the changes of the run were not recorded', seen: false };
  const hit = changed.filter((path) => globs.some((glob) => matchesGlob(pathInDesk(dir, glob), path)));
  const evidence =
    hit.length === 0
      ? `none of the ${changed.length} files that changed`
      : `changed: ${hit.slice(0, 10).join(', ')}${hit.length > 10 ? ` and ${hit.length - 10} more` : ''}`;
  return { holds: hit.length === 0, evidence, seen: true };
}

function stepsFinding(steps: readonly StepEnd[]): Finding {
  const bad = steps.filter(({ status }) => status !== 'done');
  const replaced = steps.filter(({ status, fallback }) => status === 'done' && fallback).map(({ id }) => id);
  if (steps.length === 0) return { holds: false, evidence: 'no step was executed', seen: false };
  if (bad.length === 0) {
    const note = replaced.length === 0 ? '' : `; with the fallback of ${replaced.join(', ')}`;
    return { holds: true, evidence: `${steps.length} of ${steps.length} steps are done${note}`, seen: true };
  }
  const described = bad.map(({ id, status, reason }) => `${id} is ${status}${reason === '' ? '' : ` (${reason})`}`);
  return { holds: false, evidence: described.join('; '), seen: true };
}

/** A failure is an observation; a call that was refused, waits or was stopped observed nothing. */
function unseenFinding(outcome: Outcome | undefined): Finding {
  if (outcome === undefined) return { holds: false, evidence: 'it was not checked', seen: false };
  switch (outcome.status) {
    case 'ok':
      return { holds: false, evidence: 'the answer could not be read', seen: false };
    case 'failed':
      return { holds: false, evidence: outcome.error, seen: true };
    case 'waiting':
      return { holds: false, evidence: 'the check waits for a person', seen: false };
    case 'denied':
    case 'cancelled':
      return { holds: false, evidence: `it could not be checked: ${outcome.error}`, seen: false };
  }
}

/** A path that already begins with the folder of the task is left alone, because models write both. */
export function pathInDesk(dir: string, path: string): string {
  const top = dir.replace(/\/+$/, '');
  return top === '.' || top === '' || path === top || path.startsWith(`${top}/`) ? path : `${top}/${path}`;
}

function quoteLineAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  const number = text.slice(0, start).split('\n').length;
  return `line ${number}: "${toOneLine(text.slice(start, end === -1 ? undefined : end), 300)}"`;
}

function readField(value: Json, name: string): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

export function readNumber(outcome: Outcome | undefined, name: string): number | null {
  const found = outcome?.status === 'ok' ? readField(outcome.output, name) : undefined;
  return typeof found === 'number' ? found : null;
}

function readText(outcome: Outcome | undefined, name: string): string {
  const found = outcome?.status === 'ok' ? readField(outcome.output, name) : undefined;
  return typeof found === 'string' ? found : '';
}
