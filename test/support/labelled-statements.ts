/** Labelled sentences (test/fixture/statements), and how well statements are found in them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStatements } from '../../src/rooms/memory/distil/parse-statement.ts';

export type Labelled = { kind: string; text: string };

const FOLDER = join(import.meta.dirname, '..', 'fixture', 'statements');

/** A line is "kind | text"; behind the kind "none" comes the name of the trap. */
export function readLabelled(file: string): Labelled[] {
  return readFileSync(join(FOLDER, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const at = line.indexOf(' | ');
      return { kind: line.slice(0, at).split(' ')[0] ?? '', text: line.slice(at + 3).replaceAll('\\n', '\n') };
    });
}

export type Score = { sentences: number; precision: number; recall: number; wrong: string[]; missed: string[] };

/** A statement that is found as another kind counts as wrong and as missed. */
export function scoreStatements(labelled: readonly Labelled[], at = '2026-03-02T08:00:00.000Z'): Score {
  const read = labelled.map((each) => ({ ...each, found: findStatements(each.text, at) }));
  const right = read.filter(({ kind, found }) => found.length === 1 && found[0]?.kind === kind);
  const wrong = read.filter(({ kind, found }) => found.some((each) => each.kind !== kind));
  const wanted = read.filter(({ kind }) => kind !== 'none');
  return {
    sentences: read.length,
    precision: right.length / Math.max(1, right.length + wrong.length),
    recall: right.length / Math.max(1, wanted.length),
    wrong: wrong.map(
      ({ kind, text, found }) =>
        `${kind} | ${text} => ${found.map((each) => `${each.kind}: ${each.text}`).join(' & ')}`,
    ),
    missed: wanted.filter((each) => !right.includes(each)).map(({ kind, text }) => `${kind} | ${text}`),
  };
}
