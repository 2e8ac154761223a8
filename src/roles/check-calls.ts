/**
 * Owns: how a check is carried out. It looks through tool calls, so that looking goes through the guarded chain like every
 * other act; what was seen is judged purely (findings.ts) and quoted.
 * Does not own: how checks are written (checks.ts).
 */
import type { Json } from '../schema/json.ts';
import type { Outcome } from '../schema/tool.ts';
import type { Check } from './checks.ts';
import { type Around, below, type Finding, findingOf, numberIn, PART } from './findings.ts';
import { oneLine } from './text.ts';

export type { Around, Finding, StepEnd } from './findings.ts';

export type Call = { tool: 'files.read' | 'files.list' | 'shell' | 'http.get'; input: Json };

const MOST_PARTS = 64;
const COMMAND_SECONDS = 600;
const LONGEST_EVIDENCE = 1000;

/** What to call next, given what came of the calls before; empty when everything needed has been seen. */
export function callsFor(check: Check, around: Around = {}, outcomes: readonly Outcome[] = []): Call[] {
  const dir = around.dir ?? '.';
  switch (check.kind) {
    case 'file':
      return once(outcomes, { tool: 'files.read', input: { path: below(dir, check.path), offset: 0, length: 1 } });
    case 'folder':
      return once(outcomes, { tool: 'files.list', input: { path: below(dir, check.path), limit: 1 } });
    case 'contains':
    case 'matches':
    case 'json':
    case 'rows':
      return partsFor(below(dir, check.path), outcomes);
    case 'command':
      return once(outcomes, { tool: 'shell', input: { line: check.line, dir, timeout_seconds: COMMAND_SECONDS } });
    case 'http':
      return once(outcomes, { tool: 'http.get', input: { url: check.url } });
    case 'unchanged':
    case 'steps':
      return [];
  }
}

export function judged(check: Check, outcomes: readonly Outcome[], around: Around = {}): Finding {
  const finding = findingOf(check, outcomes, around);
  return { ...finding, evidence: oneLine(finding.evidence, LONGEST_EVIDENCE) };
}

const once = (outcomes: readonly Outcome[], call: Call): Call[] => (outcomes.length === 0 ? [call] : []);

/** The first part says how long the file is; then all the others. */
function partsFor(path: string, outcomes: readonly Outcome[]): Call[] {
  const part = (index: number): Call => ({ tool: 'files.read', input: { path, offset: index * PART, length: PART } });
  if (outcomes.length === 0) return [part(0)];
  const size = numberIn(outcomes[0], 'size');
  const parts = size === null ? 0 : Math.ceil(size / PART);
  if (parts > MOST_PARTS || outcomes.some((outcome) => outcome.status !== 'ok')) return [];
  return Array.from({ length: parts }, (_, index) => part(index)).slice(outcomes.length);
}
