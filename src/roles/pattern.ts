/**
 * Owns: regular expressions as programs that can be searched for in one pass (pattern-search.ts).
 *
 * The syntax is JavaScript's with flag u, without references back and without looking ahead or behind. A single
 * character is judged by RegExp itself, one code point at a time.
 */
import { messageOf } from '../schema/errors.ts';

export type Pattern = { program: readonly Step[]; source: string };

/** One step of the search; `to` says where it goes on. */
export type Step =
  | { kind: 'one'; is: (code: number) => boolean }
  | { kind: 'edge'; at: '^' | '$' | 'b' | 'B'; lines: boolean; to: number[] }
  | { kind: 'fork'; to: number[] }
  | { kind: 'found' };

type Part =
  | { kind: 'one'; is: (code: number) => boolean }
  | { kind: 'edge'; at: '^' | '$' | 'b' | 'B' }
  | { kind: 'all'; of: Part[] }
  | { kind: 'any'; of: Part[] }
  | { kind: 'times'; of: Part; least: number; most: number };

const MOST_STEPS = 500;
const FLAGS = /^[imsug]*$/;

export function patternOf(source: string, flags = ''): Pattern | { problem: string } {
  if (!FLAGS.test(flags)) return { problem: `the flags "${flags}" are not i, m or s` };
  try {
    RegExp(source, 'u');
  } catch (error) {
    return { problem: messageOf(error) };
  }
  const read = { source, at: 0, flags: `u${flags.includes('i') ? 'i' : ''}${flags.includes('s') ? 's' : ''}` };
  try {
    const part = alternatives(read);
    const program: Step[] = [];
    write(program, part, flags.includes('m'));
    program.push({ kind: 'found' });
    return { program, source };
  } catch (error) {
    if (error instanceof RangeError) return { problem: error.message };
    throw error;
  }
}

function write(program: Step[], part: Part, lines: boolean): void {
  if (program.length > MOST_STEPS) throw new RangeError(`the pattern is too large (more than ${MOST_STEPS} steps)`);
  switch (part.kind) {
    case 'one':
      program.push(part);
      return;
    case 'edge':
      program.push({ ...part, lines, to: [program.length + 1] });
      return;
    case 'all':
      for (const each of part.of) write(program, each, lines);
      return;
    case 'any':
      writeAny(program, part.of, lines);
      return;
    case 'times':
      writeTimes(program, part, lines);
  }
}

function writeAny(program: Step[], of: readonly Part[], lines: boolean): void {
  const ends = of.map((each, index): { kind: 'fork'; to: number[] } => {
    const fork = { kind: 'fork' as const, to: [program.length + 1] };
    program.push(fork);
    write(program, each, lines);
    const end = { kind: 'fork' as const, to: [] };
    program.push(end);
    if (index < of.length - 1) fork.to.push(program.length);
    return end;
  });
  for (const end of ends) end.to.push(program.length);
}

function writeTimes(program: Step[], { of, least, most }: Extract<Part, { kind: 'times' }>, lines: boolean): void {
  for (let time = 0; time < least; time += 1) write(program, of, lines);
  if (most === Number.POSITIVE_INFINITY) {
    const fork = { kind: 'fork' as const, to: [program.length + 1] };
    const start = program.push(fork) - 1;
    write(program, of, lines);
    program.push({ kind: 'fork', to: [start] });
    fork.to.push(program.length);
    return;
  }
  const forks: { kind: 'fork'; to: number[] }[] = [];
  for (let time = least; time < most; time += 1) {
    const fork = { kind: 'fork' as const, to: [program.length + 1] };
    program.push(fork);
    forks.push(fork);
    write(program, of, lines);
  }
  for (const fork of forks) fork.to.push(program.length);
}

type Read = { source: string; at: number; flags: string };

function alternatives(read: Read): Part {
  const of: Part[] = [sequence(read)];
  while (read.source[read.at] === '|') {
    read.at += 1;
    of.push(sequence(read));
  }
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'any', of };
}

function sequence(read: Read): Part {
  const of: Part[] = [];
  while (read.at < read.source.length && !'|)'.includes(read.source[read.at] ?? '')) of.push(repeated(read));
  return { kind: 'all', of };
}

function repeated(read: Read): Part {
  const of = atom(read);
  const [all, sign, least, comma, most] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(read.source.slice(read.at)) ?? [''];
  read.at += all.length;
  if (all === '') return of;
  const [low, high] =
    sign === undefined
      ? [Number(least), comma === '' ? Number(least) : Number(most || Infinity)]
      : (SIGNS[sign] ?? [1, 1]);
  if (low > MOST_STEPS || (high > MOST_STEPS && high !== Infinity))
    throw new RangeError(`{${least}${comma}${most}} repeats too often (more than ${MOST_STEPS} times)`);
  return { kind: 'times', of, least: low, most: high };
}

const SIGNS: Record<string, [number, number]> = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] };

function atom(read: Read): Part {
  const rest = read.source.slice(read.at);
  if (rest.startsWith('(')) return group(read, rest);
  if (rest.startsWith('^') || rest.startsWith('$')) {
    read.at += 1;
    return { kind: 'edge', at: rest.startsWith('^') ? '^' : '$' };
  }
  const edge = /^\\([bB])/.exec(rest)?.[1];
  if (edge === 'b' || edge === 'B') {
    read.at += 2;
    return { kind: 'edge', at: edge };
  }
  if (/^\\(?:[1-9]|k)/.test(rest)) throw new RangeError('references back, such as \\1, are not supported');
  const one = ONE.exec(rest)?.[0] ?? '';
  read.at += one.length;
  return { kind: 'one', is: judgeOf(one, read.flags) };
}

/** One character as it is written: a class, an escape, or itself. */
const ONE =
  /^(?:\[(?:[^\]\\]|\\.)*\]|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})?|\\[pP]\{[^}]*\}|\\x..|\\c.|\\.|.)/su;

function group(read: Read, rest: string): Part {
  const opening = /^\((?:\?(?::|<[^=!][^>]*>))?/.exec(rest)?.[0] ?? '(';
  if (opening === '(' && rest.startsWith('(?')) throw new RangeError('looking ahead or behind is not supported');
  read.at += opening.length;
  const inside = alternatives(read);
  read.at += 1;
  return inside;
}

/** Common characters are looked up in a table: 0 not judged yet, 1 no, 2 yes. */
function judgeOf(one: string, flags: string): (code: number) => boolean {
  const shape = RegExp(`^(?:${one})$`, flags);
  const known = new Uint8Array(1024);
  return (code) => {
    if (code < 1024 && known[code] !== 0) return known[code] === 2;
    const is = shape.test(String.fromCodePoint(code));
    if (code < 1024) known[code] = is ? 2 : 1;
    return is;
  };
}
