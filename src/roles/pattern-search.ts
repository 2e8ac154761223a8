/**
 * Owns: looking for a pattern in time that grows with the text and never faster: all alternatives and repetitions are
 * followed at once. A pattern may come from a model; one that backtracks without end would stop the worker.
 */
import type { Pattern, Step } from './pattern.ts';

/** Steps times characters; a second or two of work. */
const MOST_WORK = 40_000_000;

/** Where the first match to end ends, or -1; null when the text is too long to be searched for this pattern. */
export function endOfMatch({ program }: Pattern, text: string): number | null {
  if (text.length * program.length > MOST_WORK) return null;
  const front: Front = {
    program,
    marks: new Int32Array(program.length).fill(-1),
    alive: new Int32Array(program.length),
    count: 0,
    open: new Int32Array(program.length),
  };
  const now = new Int32Array(program.length + 1);
  let [steps, before, at] = [0, -1, 0];
  while (at <= text.length) {
    const code = text.codePointAt(at) ?? -1;
    front.count = 0;
    for (let index = 0; index < steps; index += 1) follow(front, now[index] ?? 0, at, before, code);
    follow(front, 0, at, before, code);
    if (front.marks[program.length - 1] === at) return at;
    steps = code === -1 ? 0 : survivors(front, now, code);
    before = code;
    at += code > 0xffff ? 2 : 1;
  }
  return -1;
}

/** The steps that wait for a character. Kept in arrays of fixed size: this is done for every character. */
type Front = { program: readonly Step[]; marks: Int32Array; alive: Int32Array; count: number; open: Int32Array };

/** Adds what can be reached from a step without a character; `marks` keeps it from going in circles. */
function follow(front: Front, from: number, at: number, before: number, code: number): void {
  const { program, marks, alive, open } = front;
  if (marks[from] === at) return;
  marks[from] = at;
  let waiting = 1;
  open[0] = from;
  while (waiting > 0) {
    waiting -= 1;
    const step = open[waiting] ?? 0;
    const it = program[step];
    if (it === undefined || it.kind === 'found') continue;
    if (it.kind === 'one') {
      alive[front.count] = step;
      front.count += 1;
      continue;
    }
    const ways = it.kind === 'fork' || holds(it, before, code) ? it.to : NOWHERE;
    for (let index = 0; index < ways.length; index += 1) {
      const to = ways[index] ?? 0;
      if (marks[to] === at) continue;
      marks[to] = at;
      open[waiting] = to;
      waiting += 1;
    }
  }
}

const NOWHERE: readonly number[] = [];

/** Writes down the steps behind those that take the character, and how many they are. */
function survivors({ program, alive, count }: Front, now: Int32Array, code: number): number {
  let steps = 0;
  for (let index = 0; index < count; index += 1) {
    const step = alive[index] ?? 0;
    const it = program[step];
    if (it?.kind !== 'one' || !it.is(code)) continue;
    now[steps] = step + 1;
    steps += 1;
  }
  return steps;
}

function holds({ at, lines }: Extract<Step, { kind: 'edge' }>, before: number, code: number): boolean {
  switch (at) {
    case '^':
      return before === -1 || (lines && isLineEnd(before));
    case '$':
      return code === -1 || (lines && isLineEnd(code));
    case 'b':
      return isWord(before) !== isWord(code);
    case 'B':
      return isWord(before) === isWord(code);
  }
}

const isLineEnd = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
const isWord = (code: number): boolean => code !== -1 && code < 128 && /\w/.test(String.fromCodePoint(code));
