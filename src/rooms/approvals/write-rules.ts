/**
 * Owns: saving a file of .oka/rules that a person has changed on the page Settings, in the process with the pen.
 * Does not own: whether it was the person: the dashboard asks for a fresh login before it submits the request, and no
 * page and no tool may submit it otherwise.
 *
 * 1. A file is replaced only while it contains what the person has seen.
 * 2. What the guard could not read is not saved.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePolicy } from '../../core/guard/parse-policy.ts';
import { lstatIfPresent, replaceFile } from '../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake, RulesFile } from '../../core/schema/intake.ts';
import type { LateAnswer } from '../../core/schema/room.ts';
import { lineClassifierOf } from '../../kit/policy/classifier.ts';

type WriteRules = Extract<Intake, { kind: 'write_rules' }>;

export function writeRules(home: Home, { file, text, replaces }: WriteRules): LateAnswer {
  const before = readRules(home, file);
  if ((before === null ? null : hash('sha256', before)) !== replaces)
    throw new OkaError('refused', `${file} was changed meanwhile`, {
      fix: 'Look at the change again, and confirm it.',
    });
  const problem = rulesProblem(home, file, text);
  if (problem !== null) throw new OkaError('invalid-file', problem);
  replaceFile(rulesPath(home, file), text, { mode: 0o644 });
  return { answer: Promise.resolve({ file }) };
}

export const rulesPath = ({ oka }: Home, file: RulesFile): string => join(oka, 'rules', file);

/** Null when there is no such file. */
export function readRules(home: Home, file: RulesFile): string | null {
  const path = rulesPath(home, file);
  const found = lstatIfPresent(path);
  if (found === undefined) return null;
  if (!found.isFile()) throw new OkaError('unsafe-file', `${path} is not a regular file`);
  return readFileSync(path, 'utf8');
}

/** Why a file could not be used as a whole; null when it can. */
export function rulesProblem(home: Home, file: RulesFile, text: string): string | null {
  try {
    if (file === 'POLICY.md') parsePolicy(text, file, lineClassifierOf(home));
    else if (!isObject(JSON.parse(text))) return `${file} is not a JSON object`;
    return null;
  } catch (error) {
    return `${messageOf(error)}${error instanceof OkaError && error.fix !== undefined ? `\n${error.fix}` : ''}`;
  }
}

const isObject = (value: unknown): boolean => value !== null && typeof value === 'object' && !Array.isArray(value);
