/**
 * Owns: how a check is carried out: by tool calls, which pass the guarded chain like all others. Their outcomes are judged
 * by pure code (findings.ts) and quoted as evidence.
 * Does not own: the syntax of checks (checks.ts).
 */
import type { Json } from '../../../core/schema/json.ts';
import type { Outcome } from '../../../core/schema/tool.ts';
import type { Check } from '../../../kit/task/checks.ts';
import { type CheckContext, pathInDesk, type Finding, findingOf, readNumber, PART } from './findings.ts';
import { toOneLine } from '../../../core/schema/one-line.ts';

export type { CheckContext, Finding, StepEnd } from './findings.ts';

type Call = { tool: 'files.read' | 'files.list' | 'shell' | 'http.get'; input: Json };

const MAX_PARTS = 64;
const COMMAND_SECONDS = 600;
const MAX_EVIDENCE = 1000;

/** The calls to make next, given the outcomes so far; empty when no more are needed. */
export function nextCheckCalls(check: Check, around: CheckContext = {}, outcomes: readonly Outcome[] = []): Call[] {
  const dir = around.dir ?? '.';
  switch (check.kind) {
    case 'file':
      return once(outcomes, { tool: 'files.read', input: { path: pathInDesk(dir, check.path), offset: 0, length: 1 } });
    case 'folder':
      return once(outcomes, { tool: 'files.list', input: { path: pathInDesk(dir, check.path), limit: 1 } });
    case 'contains':
    case 'matches':
    case 'json':
    case 'rows':
      return nextPartCalls(pathInDesk(dir, check.path), outcomes);
    case 'command':
      return once(outcomes, {
        tool: 'shell',
        input: { line: check.line, dir: commandDir(around), timeout_seconds: COMMAND_SECONDS },
      });
    case 'http':
      return once(outcomes, { tool: 'http.get', input: { url: check.url } });
    case 'unchanged':
    case 'steps':
      return [];
  }
}

export function judgeCheck(check: Check, outcomes: readonly Outcome[], around: CheckContext = {}): Finding {
  const finding = findingOf(check, outcomes, around);
  return { ...finding, evidence: toOneLine(finding.evidence, MAX_EVIDENCE) };
}

/** Paths of a model start at the desk, everywhere; those in the operator's words start at the folder of the task. */
const commandDir = ({ dir = '.', author }: CheckContext): string => (author === 'model' ? '.' : dir);

const once = (outcomes: readonly Outcome[], call: Call): Call[] => (outcomes.length === 0 ? [call] : []);

/** The first part reports the size of the file; then come all the others. */
function nextPartCalls(path: string, outcomes: readonly Outcome[]): Call[] {
  const part = (index: number): Call => ({ tool: 'files.read', input: { path, offset: index * PART, length: PART } });
  if (outcomes.length === 0) return [part(0)];
  const size = readNumber(outcomes[0], 'size');
  const parts = size === null ? 0 : Math.ceil(size / PART);
  if (parts > MAX_PARTS || outcomes.some((outcome) => outcome.status !== 'ok')) return [];
  return Array.from({ length: parts }, (_, index) => part(index)).slice(outcomes.length);
}
