/** What a command starts, what it missed, and what can take the place of what. Tool output never gets into a lesson. */
import type { Receipt } from '../../../core/schema/dependency.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { EventOf } from '../event-handlers.ts';
import { sumOf } from '../../../kit/learning/index-item.ts';

/** A command of one program. */
export type Command = {
  program: string;
  args: string[];
  /** Equal for the same command. */
  key: string;
};

export type Missing = { name: string; package: string | null; isProgram: boolean };

/** Signs that a line starts more than one program, or that the shell changes its words. */
const COMPOUND = /[;&|\n`$(){}*?[\]~#]/;
const MAX_ARGS = 50;

/** Null when more than one program may have run, so that nobody knows which of them failed. */
export function commandOf(input: Json): Command | null {
  const argv = fieldOf(input, 'argv');
  const line = fieldOf(input, 'line');
  const words = Array.isArray(argv) ? argv.map(String) : typeof line === 'string' ? wordsOf(line) : null;
  const [first = '', ...args] = words ?? [];
  const program = first.slice(first.lastIndexOf('/') + 1);
  if (words === null || args.length > MAX_ARGS || !/^[A-Za-z][\w.+-]{0,40}$/.test(program)) return null;
  return { program, args, key: sumOf(JSON.stringify(words)) };
}

/** `set -e;` is put before the steps of a runbook; a step of one line may have it as well. */
function wordsOf(line: string): string[] | null {
  const own = line.trim().replace(/^set -[a-z]+;\s*/, '');
  return COMPOUND.test(own) || /^\w+=/.test(own) ? null : own.split(/\s+/);
}

/** What was missing, by name: the need that was diagnosed, or the program itself when the shell has not found it. */
export function missingIn(
  { status, error, output, for: awaited }: EventOf<'call.ended'>['data'],
  { program }: Command,
): Missing | null {
  if (status === 'waiting') return awaited?.kind === 'requirement' ? needOf(awaited.need) : null;
  if (status !== 'failed') return null;
  const texts = [error ?? '', fieldOf(output, 'stderr') ?? ''].map((text) => (typeof text === 'string' ? text : ''));
  const name = program.replaceAll(/[.+]/g, String.raw`\$&`);
  const sign = new RegExp(
    String.raw`(?:^|\n|(?:sh|bash|line \d+|\d+): )${name}: (?:command )?not found\b|spawn ${name} ENOENT`,
  );
  return texts.some((text) => sign.test(text.slice(0, 20_000)))
    ? { name: program, package: null, isProgram: true }
    : null;
}

type Need = NonNullable<Extract<NonNullable<EventOf<'call.ended'>['data']['for']>, { kind: 'requirement' }>['need']>;

function needOf(need: Need | undefined): Missing | null {
  if (need === undefined || !['command', 'python', 'node'].includes(need.kind)) return null;
  return { name: need.name, package: need.package ?? null, isProgram: need.kind === 'command' };
}

/** Whether what was installed provides what was missing. */
export function isProvidedBy(missing: Missing, { name, commands }: Pick<Receipt, 'name' | 'commands'>): boolean {
  if (missing.isProgram && commands.includes(missing.name)) return true;
  const wanted = [missing.name, missing.package ?? missing.name].map((each) => each.toLowerCase());
  return wanted.includes(name.toLowerCase());
}

/** Options that only ask a program about itself. */
const PROBES = new Set(['--version', '-version', '-v', '-V', '--help', '-help', '-h']);

/**
 * Whether another program did the same: it was given the same arguments, and these include an option, or its name is a
 * variant such as python3 for python. The same file alone proves nothing: it may only have been looked at.
 */
export function isReplacedBy(failed: Command, other: Command): boolean {
  if (failed.program === other.program || JSON.stringify(failed.args) !== JSON.stringify(other.args)) return false;
  if (failed.args.some((arg) => PROBES.has(arg)) || failed.args.every((arg) => arg.startsWith('-'))) return false;
  const isVariant = other.program.startsWith(failed.program) || failed.program.startsWith(other.program);
  return isVariant || failed.args.some((arg) => arg.startsWith('-') && arg.length > 1);
}

const fieldOf = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined;
