/** What is learned from what people write into tasks, in four languages, and what must not be (said-in-tasks.ts, traps.ts). */
import { findStatements } from '../../src/rooms/memory/distil/parse-statement.ts';
import { life, textsIn } from '../../test/rooms/memory/distil/life.ts';
import type { Figure } from '../figure.ts';
import { contradicted, fresh, instructions, isUnseen, preferences, takenBack } from './said-in-tasks.ts';
import { smallTalk, traps } from './traps.ts';

const AT = '2031-03-04T08:00:00.000Z';

/** By list: how many of all are right, how many of the unseen half, and those that are not. */
export type Learned = { name: string; right: number; of: number; unseen: number; ofUnseen: number; missed: string[] };

function count<T>(
  name: string,
  list: readonly T[],
  isRight: (each: T) => boolean,
  shown: (each: T) => string,
): Learned {
  const rights = list.map(isRight);
  const unseen = rights.filter((_, at) => isUnseen(at));
  return {
    name,
    right: rights.filter(Boolean).length,
    of: list.length,
    unseen: unseen.filter(Boolean).length,
    ofUnseen: unseen.length,
    missed: list.flatMap((each, at) =>
      rights[at] === true ? [] : [`${isUnseen(at) ? '(unseen) ' : ''}${shown(each)}`],
    ),
  };
}

/** The facts that are valid after these tasks. */
function left(...tasks: string[]): string[] {
  const lived = life();
  for (const [n, text] of tasks.entries()) {
    lived.task(`t${n}`, text);
    lived.pass();
  }
  return textsIn(lived.book);
}

const has = (texts: readonly string[], word: string): boolean => texts.some((text) => text.includes(word));

export function learnedFromTasks(): Learned[] {
  const found = (text: string): string[] => findStatements(text, AT).map((each) => each.text);
  return [
    count(
      'instructions',
      instructions,
      (each) => has(found(each.text), each.has),
      ({ text }) => text,
    ),
    count(
      'preferences',
      preferences,
      (each) => has(found(each.text), each.has),
      ({ text }) => text,
    ),
    count(
      'fresh',
      fresh,
      (each) => has(found(each.text), each.has),
      ({ text }) => text,
    ),
    count(
      'taken_back',
      takenBack,
      ({ first, later, gone }) => has(left(first), gone) && !has(left(first, later), gone),
      ({ first, later }) => `${first} … ${later} … ${left(first, later).join(' ')}`,
    ),
    count(
      'contradicted',
      contradicted,
      ({ first, later, gone, left: stays }) => has(left(first, later), stays) && !has(left(first, later), gone),
      ({ first, later }) => `${first} … ${later} … ${left(first, later).join(' ')}`,
    ),
    count(
      'traps',
      traps,
      (text) => findStatements(text, AT).every(({ kind }) => kind !== 'standing'),
      (text) => `${text} … ${found(text).join(' ')}`,
    ),
    count(
      'small_talk',
      smallTalk,
      (text) => found(text).length === 0,
      (text) => `${text} … ${found(text).join(' ')}`,
    ),
  ];
}

export const learningFigures = (): Figure[] =>
  learnedFromTasks().flatMap(({ name, right, of, unseen, ofUnseen }) => [
    { name: `said_${name}`, value: right, unit: '', about: `of ${of}` },
    { name: `said_${name}_unseen`, value: unseen, unit: '', about: `of ${ofUnseen} that no rule was made for` },
  ]);
