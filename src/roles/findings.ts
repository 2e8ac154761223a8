/**
 * Owns: whether what was seen is what a check asks for.
 *
 * C1 What could not be looked at does not hold.
 * C2 A text is judged whole or not at all: a long file is read in parts, and only when all of them are there is a text
 *    said to be missing.
 */
import { messageOf } from '../schema/errors.ts';
import { isJson, type Json } from '../schema/json.ts';
import type { NodeStatus } from '../schema/run.ts';
import type { Outcome } from '../schema/tool.ts';
import type { Check } from './checks.ts';
import { compares } from './compare.ts';
import { isMeant } from './glob.ts';
import { jsonHolds } from './json-test.ts';
import { compilePattern, searchPattern } from './pattern.ts';
import { rowsIn } from './rows.ts';
import { oneLine } from './text.ts';

/** `seen` is false when nobody could look: then it is not known that it fails. */
export type Finding = { holds: boolean; evidence: string; seen: boolean };

export type Around = {
  /** Folder of the task, below the desk. */
  dir?: string | undefined;
  /** Paths below the desk that the run changed; null = not known. */
  changed?: readonly string[] | null;
  steps?: readonly StepEnd[];
};

/** How a step of the run ended. `fallback`: it failed, and the output that its author gave for that case was taken. */
export type StepEnd = { id: string; status: NodeStatus; reason: string; fallback: boolean };

/** Bytes of a file that one call reads. */
export const PART = 65_536;
const NOT_THERE = /^.{1,1100} (?:is not there|goes through something that is not a folder)\b/s;

export function findingOf(check: Check, outcomes: readonly Outcome[], around: Around): Finding {
  const [first] = outcomes;
  switch (check.kind) {
    case 'file':
      return fileFinding(check, first);
    case 'folder':
      return folderFinding(check, first);
    case 'contains':
      return onText(check.path, outcomes, (text) => containsFinding(check, text));
    case 'matches':
      return onText(check.path, outcomes, (text) => matchFinding(check, text));
    case 'json':
      return onText(check.path, outcomes, (text) => jsonFinding(check, text));
    case 'rows':
      return onText(check.path, outcomes, (text) => rowsFinding(check, text));
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

function fileFinding({ path, want }: Extract<Check, { kind: 'file' }>, outcome: Outcome | undefined): Finding {
  const size = numberIn(outcome, 'size');
  if (size !== null) {
    const evidence = `${path} has ${size} bytes`;
    return { holds: want === 'there' || (want === 'filled' && size > 0), evidence, seen: true };
  }
  const missing = outcome?.status === 'failed' && NOT_THERE.test(outcome.error);
  return missing ? { holds: want === 'absent', evidence: `${path} is not there`, seen: true } : unseen(outcome);
}

function folderFinding({ path, want }: Extract<Check, { kind: 'folder' }>, outcome: Outcome | undefined): Finding {
  const entries = outcome?.status === 'ok' ? fieldIn(outcome.output, 'entries') : undefined;
  if (!Array.isArray(entries)) return unseen(outcome);
  const evidence = entries.length > 0 ? `${path} has something in it` : `${path} is empty`;
  return { holds: want === 'there' || entries.length > 0, evidence, seen: true };
}

function onText(path: string, outcomes: readonly Outcome[], judge: (text: string) => Finding): Finding {
  const bad = outcomes.find((outcome) => outcome.status !== 'ok');
  const sizes = new Set(outcomes.map((outcome) => numberIn(outcome, 'size')));
  const [size] = sizes;
  if (bad !== undefined || size === undefined || size === null) return unseen(bad);
  if (sizes.size > 1) return { holds: false, evidence: `${path} changed while it was read`, seen: false };
  if (outcomes.some((outcome) => outcome.status === 'ok' && fieldIn(outcome.output, 'binary') === true))
    return { holds: false, evidence: `${path} is not text`, seen: true };
  if (outcomes.length < Math.ceil(size / PART))
    return { holds: false, evidence: `${path} has ${size} bytes, and not all of them were read`, seen: false };
  return judge(outcomes.map((outcome) => textIn(outcome, 'content')).join(''));
}

function containsFinding({ path, text, want }: Extract<Check, { kind: 'contains' }>, content: string): Finding {
  const at = content.indexOf(text);
  if (at === -1) return { holds: !want, evidence: `"${oneLine(text, 200)}" is not in ${path}`, seen: true };
  return { holds: want, evidence: `${path}, ${lineAt(content, at)}`, seen: true };
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
      return { holds: true, evidence: `${path}, ${lineAt(match.text, Math.max(0, match.end - 1))}`, seen: true };
  }
}

function jsonFinding({ path, test }: Extract<Check, { kind: 'json' }>, content: string): Finding {
  try {
    const document: unknown = JSON.parse(content);
    if (!isJson(document)) return { holds: false, evidence: `${path} is nested too deep`, seen: true };
    if (test === null) return { holds: true, evidence: `${path} is JSON: ${oneLine(content, 100)}`, seen: true };
    const { holds, shown } = jsonHolds(test, document);
    return { holds, evidence: `${path}: ${shown}`, seen: true };
  } catch (error) {
    return { holds: false, evidence: `${path} is not JSON: ${messageOf(error)}`, seen: true };
  }
}

function rowsFinding({ path, is, count }: Extract<Check, { kind: 'rows' }>, content: string): Finding {
  const rows = rowsIn(path, content);
  if (typeof rows === 'string') return { holds: false, evidence: `${path} ${rows}`, seen: true };
  return { holds: compares(rows, is, count), evidence: `${path} has ${rows} rows`, seen: true };
}

function commandFinding(line: string, outcome: Outcome | undefined): Finding {
  const what = `\`${oneLine(line, 200)}\``;
  if (outcome?.status === 'failed') return { holds: false, evidence: `${what}: ${outcome.error}`, seen: true };
  const exit = numberIn(outcome, 'exit');
  if (exit === null) return unseen(outcome);
  const written = [textIn(outcome, 'stdout'), textIn(outcome, 'stderr')].join('\n').trim();
  const evidence = `${what}: exit ${exit}${written === '' ? '' : `, it wrote: ${written.slice(-600)}`}`;
  return { holds: exit === 0, evidence, seen: true };
}

/** A status of 400 and more comes as a failure whose first words tell it. */
function httpFinding({ url, status }: Extract<Check, { kind: 'http' }>, outcome: Outcome | undefined): Finding {
  const told = outcome?.status === 'failed' ? /^\S+ answered (\d{3})\b/.exec(outcome.error)?.[1] : undefined;
  const answered = told === undefined ? numberIn(outcome, 'status') : Number(told);
  if (answered === null) {
    return outcome?.status === 'failed' ? { holds: false, evidence: outcome.error, seen: true } : unseen(outcome);
  }
  const holds = status === null ? answered >= 200 && answered < 300 : answered === status;
  return { holds, evidence: `${url} answered ${answered}`, seen: true };
}

function unchangedFinding(globs: readonly string[], { changed, dir = '.' }: Around): Finding {
  if (changed === undefined || changed === null)
    return { holds: false, evidence: 'what the run changed was not kept', seen: false };
  const hit = changed.filter((path) => globs.some((glob) => isMeant(below(dir, glob), path)));
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
  const told = bad.map(({ id, status, reason }) => `${id} is ${status}${reason === '' ? '' : ` (${reason})`}`);
  return { holds: false, evidence: told.join('; '), seen: true };
}

/** Failing is an answer of the world; being refused, waiting or being stopped is none. */
function unseen(outcome: Outcome | undefined): Finding {
  if (outcome === undefined) return { holds: false, evidence: 'it was not looked at', seen: false };
  switch (outcome.status) {
    case 'ok':
      return { holds: false, evidence: 'the answer could not be read', seen: false };
    case 'failed':
      return { holds: false, evidence: outcome.error, seen: true };
    case 'waiting':
      return { holds: false, evidence: 'looking waits for a person', seen: false };
    case 'denied':
    case 'cancelled':
      return { holds: false, evidence: `it could not be looked at: ${outcome.error}`, seen: false };
  }
}

/** A path that names the folder of the task itself stays as it is: models write both. */
export function below(dir: string, path: string): string {
  const top = dir.replace(/\/+$/, '');
  return top === '.' || top === '' || path === top || path.startsWith(`${top}/`) ? path : `${top}/${path}`;
}

function lineAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  const number = text.slice(0, start).split('\n').length;
  return `line ${number}: "${oneLine(text.slice(start, end === -1 ? undefined : end), 300)}"`;
}

function fieldIn(value: Json, name: string): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

export function numberIn(outcome: Outcome | undefined, name: string): number | null {
  const found = outcome?.status === 'ok' ? fieldIn(outcome.output, name) : undefined;
  return typeof found === 'number' ? found : null;
}

function textIn(outcome: Outcome | undefined, name: string): string {
  const found = outcome?.status === 'ok' ? fieldIn(outcome.output, name) : undefined;
  return typeof found === 'string' ? found : '';
}
