/**
 * Owns: trying the criteria that a model planned against the desk before the work begins.
 *
 * 1. Only reading is done: checks of files, and commands whose class is read.
 * 2. A criterion that cannot be met in principle is a problem that goes back to the planner.
 * 3. A criterion that is met already is marked: it says nothing about the work.
 * 4. Paths of a model start at the desk. One that is there, or may be changed, only below the task's folder is an error
 *    in a command; in other checks it is read as if it started with the folder.
 */
import { classify } from '../../core/guard/classify/classify-command.ts';
import { judgeCheck, nextCheckCalls } from './roles/check-calls.ts';
import type { Check } from '../../kit/task/checks.ts';
import type { Criterion } from '../../kit/task/criteria.ts';
import { fileNamesIn } from '../../kit/text/file-names.ts';
import { pathInDesk } from './roles/findings.ts';
import { matchesGlob } from '../../kit/text/glob.ts';
import type { PlannedCriterion } from './roles/implied-criteria.ts';
import type { Act, Outcome } from '../../core/schema/tool.ts';

type ReviewFrame = {
  /** What the plan, and the plans before it, may change. */
  targets: readonly string[];
  /** Folder of the task, relative to the desk. */
  dir: string | null;
  act: Act;
};

type Reviewed = { criteria: PlannedCriterion[] } | { problem: string };

const SECONDS = 20;
const MOST_PROBLEMS = 5;
const MOST_PROGRAMS = 5;

export async function reviewCriteria(criteria: readonly Criterion[], frame: ReviewFrame): Promise<Reviewed> {
  const reviewed: PlannedCriterion[] = [];
  const problems: string[] = [];
  for (const criterion of criteria) {
    const { check, author, text } = criterion;
    const found = author === 'model' && check !== null ? await reviewCheck(check, frame) : null;
    if (found !== null && 'problem' in found) problems.push(`criterion "${text}" cannot be met: ${found.problem}`);
    reviewed.push(found !== null && 'before' in found ? { ...criterion, before: found.before } : criterion);
  }
  return problems.length === 0 ? { criteria: reviewed } : { problem: problems.slice(0, MOST_PROBLEMS).join('; ') };
}

type Review = { problem: string } | { before: boolean } | null;

async function reviewCheck(check: Check, frame: ReviewFrame): Promise<Review> {
  switch (check.kind) {
    case 'file':
    case 'folder':
    case 'contains':
    case 'matches':
    case 'json':
    case 'rows':
      return reviewFileCheck(check, frame);
    case 'command':
      return reviewCommand(check, frame);
    case 'http':
    case 'unchanged':
    case 'steps':
      return null;
  }
}

async function reviewFileCheck(check: Extract<Check, { path: string }>, frame: ReviewFrame): Promise<Review> {
  const { targets, dir, act } = frame;
  const around = { ...(dir === null ? {} : { dir }), author: 'model' as const };
  const outcomes: Outcome[] = [];
  for (let next = nextCheckCalls(check, around); next.length > 0; next = nextCheckCalls(check, around, outcomes))
    for (const { tool, input } of next) outcomes.push(await act(tool, input, { author: 'model' }));
  const { holds, seen } = judgeCheck(check, outcomes, around);
  if (!seen) return null;
  const path = pathInDesk(dir ?? '.', check.path);
  if (holds || canChange(path, targets)) return { before: holds };
  const allowed = targets.length === 0 ? 'no step has targets' : `targets: ${targets.slice(0, 10).join(', ')}`;
  return { problem: `it is not met now, and no step may change ${path} (${allowed})` };
}

async function reviewCommand({ line }: Extract<Check, { kind: 'command' }>, frame: ReviewFrame): Promise<Review> {
  const misplaced = await misplacedFile(line, frame);
  if (misplaced !== null) return { problem: `paths start at the desk, so write ${frame.dir}/${misplaced}` };
  const { class: effect, programs } = classify({ line });
  const missing = effect === 'read' || effect === 'write_local' ? null : await missingProgram(programs, frame.act);
  if (missing !== null) return { problem: `there is no program ${missing}` };
  if (effect !== 'read') return null;
  const outcome = await frame.act('shell', { line, timeout_seconds: SECONDS }, { author: 'model' });
  const exit = exitOf(outcome);
  if (exit === null) return null;
  return exit === 127 || exit === 126
    ? { problem: `it ends with exit ${exit}: a program is missing` }
    : { before: exit === 0 };
}

/** A program that is neither known nor there; known ones can be installed when they are needed. */
async function missingProgram(programs: readonly string[], act: Act): Promise<string | null> {
  for (const name of programs.filter((each) => /^[\w.+-]+$/.test(each)).slice(0, MOST_PROGRAMS)) {
    const found = await act('shell', { line: `command -v ${name}`, timeout_seconds: SECONDS }, { author: 'model' });
    if ((exitOf(found) ?? 0) !== 0) return name;
  }
  return null;
}

/** A file that a command names as if it ran in the folder of the task. */
async function misplacedFile(line: string, { dir, targets, act }: ReviewFrame): Promise<string | null> {
  if (dir === null || dir === '.') return null;
  for (const path of fileNamesIn(line)) {
    const inFolder = pathInDesk(dir, path);
    if (inFolder === path || path.startsWith('/') || canChange(path, targets.filter(isNarrow))) continue;
    if (await isThere(path, act)) continue;
    if (canChange(inFolder, targets.filter(isNarrow)) || (await isThere(inFolder, act))) return path;
  }
  return null;
}

/** A glob such as ** says nothing about where a file is. */
const isNarrow = (target: string): boolean => !/^\*+(?:\/|$)/.test(target);

async function isThere(path: string, act: Act): Promise<boolean> {
  return (await act('files.read', { path, offset: 0, length: 1 }, { author: 'model' })).status === 'ok';
}

/** A target inside a folder also lets that folder come into being. */
function canChange(path: string, targets: readonly string[]): boolean {
  return targets.some(
    (target) => matchesGlob(target, path) || target.startsWith(`${path}/`) || matchesGlob(path, target),
  );
}

/** A command that ends with another status than 0 arrives as a failure whose message begins with it. */
function exitOf(outcome: Outcome): number | null {
  if (outcome.status === 'ok') return 0;
  const reported = outcome.status === 'failed' ? /^exit (\d+)/.exec(outcome.error)?.[1] : undefined;
  return reported === undefined ? null : Number(reported);
}
