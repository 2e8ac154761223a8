/** Diagnoses what a failed command was missing, as the wait for it; bounded, so that no step is helped forever. */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Need } from '../../core/schema/dependency.ts';
import type { ToolCall } from '../../core/schema/tool.ts';
import { effectOf } from '../../core/engine/repeat-rule.ts';
import { classify } from '../../core/guard/classify/classify-command.ts';
import { adviceFor } from './install/alternatives.ts';
import type { Remedy } from './install/choose-remedy.ts';
import { detect } from './install/detect.ts';
import { parseFailure } from './install/command-failure.ts';
import type { Diagnose } from '../../core/chain/middleware/heal.ts';
import { nameOf } from './deps-ports.ts';
import type { Home } from '../../core/schema/home.ts';

type DiagnosePorts = {
  home: Home;
  remedyFor: (need: Need) => Remedy;
  countMissed: (call: ToolCall, need: Need) => { step: number; run: number };
};

const MOST_A_STEP = 6;
const MOST_A_RUN = 30;
const FIRST_LINE = 256;
const MOST_REMEMBERED = 1000;

export function diagnoseWith({ home, remedyFor, countMissed }: DiagnosePorts): Diagnose {
  const isFirstMiss = createMissMemory();
  return (call, { error }) => {
    if (call.tool !== 'shell') return null;
    const { line, argv, dir } = call.input as { line?: string; argv?: string[]; dir?: string };
    const failure = parseFailure(error, line ?? (argv ?? []).join(' '));
    if (failure === null) return null;
    const found = detect({
      ...failure,
      firstLineOf: (script) => firstLine(join(home.workspace, 'desk'), dir ?? '.', script),
    });
    const need = found === null ? null : confirmName(found, call, failure.command);
    if (need === null) return null;
    if (!mayRepeat(call, need, line)) return { advice: notRepeated(need) };
    const { step, run } = countMissed(call, need);
    if (step >= MOST_A_STEP || run >= MOST_A_RUN) return null;
    const remedy = remedyFor(need);
    if (remedy.kind === 'unknown') return { advice: remedy.advice };
    if (remedy.kind === 'person' && isFirstMiss(call, need)) return { advice: adviceFor(need.name) };
    return { kind: 'requirement', name: nameOf(need), need };
  };
}

/**
 * Whether a model has just learned that something is missing which only a person can install. It tries another way
 * first; when the same is missing again in this task, a person is asked. After a restart a model may be advised twice.
 */
function createMissMemory(): (call: ToolCall, need: Need) => boolean {
  const missed = new Set<string>();
  return ({ author, run }, need) => {
    const key = `${run.split('.', 1)[0]} ${nameOf(need)}`;
    if (author !== 'model' || missed.has(key)) return false;
    if (missed.size >= MOST_REMEMBERED) missed.clear();
    missed.add(key);
    return true;
  };
}

/** A person who wrote `npm install -g x` has named the package; a model has not. */
function confirmName(need: Need, { author }: ToolCall, command: string): Need {
  if (author !== 'operator' || need.kind !== 'node' || need.package === undefined) return need;
  const isNamed = command.split(/[\s;&|]+/).some((word) => word === need.name || word.startsWith(`${need.name}@`));
  return isNamed ? { ...need, vouched: 'operator' } : need;
}

/**
 * A command that may have changed something is run again only if it cannot have had an effect yet. Of the desk: what
 * failed is the only part of the line that changes anything; a script whose module is missing ends at its imports.
 */
function mayRepeat(call: ToolCall, need: Need, line: string | undefined): boolean {
  const effect = effectOf(call);
  if (effect === 'read') return true;
  if (effect !== 'external_mutation') return line === undefined || changingParts(line, need.name) <= 1;
  const isAlone = line === undefined || !/[;&|\n`$(]/.test(line.trim());
  return need.kind === 'command' && isAlone;
}

/**
 * How many commands of a line that ended at a missing one may have changed something, with that one. What is quoted, or
 * given to a command as its input, is no command; an installation may be repeated; what `&&` leads to was not reached.
 */
function changingParts(line: string, missing: string): number {
  const bare = line
    .replaceAll(/<<-?\s*(["']?)(\w+)\1([^\n]*)\n[^]*?\n\s*\2(?=\s|$)/g, '$3')
    .replaceAll(/'[^']*'|"[^"]*"/g, 'x')
    .replaceAll(/\d?>&\d/g, '');
  const groups = bare.split(/[;|\n]+|(?<!&)&(?!&)/).map((group) => group.split('&&').map((part) => part.trim()));
  const reached = groups.flatMap((group) => {
    const at = group.findIndex((part) => part.split(/\s+/).includes(missing));
    return at === -1 ? group : group.slice(0, at + 1);
  });
  return reached.filter((part) => part !== '' && !INSTALLS.test(part) && classify({ line: part }).class !== 'read')
    .length;
}

const INSTALLS = /^(?:npm|pnpm|yarn|pip3?|pipx|uv|apt|apt-get)\s(?:\S+\s)*?(?:i|install|add)\b/;

const notRepeated = ({ name }: Need): string =>
  `${name} is missing. Other parts of this command may have changed something, so it is not run again by itself: install ${name} first, or run the parts separately.`;

/** Reads the first line of a script on the desk; null for every other file. */
function firstLine(desk: string, dir: string, script: string): string | null {
  try {
    const path = realpathSync(join(desk, dir, script));
    if (!path.startsWith(`${realpathSync(desk)}/`)) return null;
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(fd).isFile()) return null;
      const bytes = Buffer.alloc(FIRST_LINE);
      return bytes.toString('utf8', 0, readSync(fd, bytes, 0, FIRST_LINE, 0)).split('\n', 1)[0] ?? null;
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
