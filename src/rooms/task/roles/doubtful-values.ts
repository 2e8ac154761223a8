/**
 * Owns: which values of a result need a source before a claim that it is done is believed. Pure.
 *
 * D1 A figure or a day is untraced if it is in no input, and no command that was executed again prints it.
 * D2 Where the task asks to compute something, or a worker has computed, it is not enough that a figure occurs somewhere:
 *    a count of 3 occurs everywhere. A command prints it, or a row of a table has it beside another word of its line.
 * D3 A cell of a row that an input has in another row, while it has one of the same name, is the value of somebody else.
 * D4 A value that was computed, and is in nothing that was made, says that something else was written, unless a row of an
 *    input leads from it to what was made: that was a step on the way.
 * D5 There is no doubt about what a program has written into a file: only values are, that a model itself has typed. Nor is
 *    there where no data was read or given, about what the task says, numbers of lists, and programs.
 */
import { baseName, fileNamesIn, PROGRAM_FILE } from '../../../kit/text/file-names.ts';
import { type Inputs, shortName, THE_ANSWER, unusedValues } from './value-sources.ts';
import { partRows, type TextWords, type Value, valuesIn, wordsOfText } from './traced-values.ts';

export type Doubt = {
  value: string;
  reason: string;
  /** Whether it may be a choice of the worker, which nothing can show. */
  mayBeOwn: boolean;
};

const ASKS_TO_COMPUTE =
  /\b(?:how (?:many|much|long)|count|sums?|totals?|add(?:ed|s)? up|adds|averages?|mean|medians?|percent(?:age)?|differences?|number of|convert|round(?:ed)?|raise|lower|increase|reduce)\b/i;
const UNUSED = 'it was computed, and is in nothing that was made';
const MOST_DOUBTS = 20;
/** Of a file that was made, and of the rows of inputs that one of its lines is compared with. */
const MOST_LINES = 500;
const MOST_ROWS = 2000;

type Row = { text: string; cells: string[]; from: string; words?: TextWords };
type Data = {
  known: TextWords;
  typed: TextWords | null;
  texts: TextWords[];
  rows: ReadonlyMap<string, Row[]>;
  mustCompute: boolean;
};

export function findDoubts(inputs: Inputs): Doubt[] {
  const { task, made, read, given, calls, computed = [], printed = [] } = inputs;
  if (read.every(({ name, text }) => name === 'memories' || text === '')) return [];
  const names = [...given, ...made.map(({ name }) => shortName(name))].map(baseName); // a folder has a number, too
  const known = [task, ...names, ...computed, ...printed];
  const typed = wordsOfText(calls.join('\n').replaceAll(/\\[nt]/g, ' '));
  const data = {
    known: wordsOfText(known.join('\n')),
    texts: read.map(({ text }) => wordsOfText(text)),
    rows: rowsByWord(read),
    mustCompute:
      computed.length > 0 ||
      ASKS_TO_COMPUTE.test(fileNamesIn(task).reduce((text, name) => text.replaceAll(name, ' '), task)),
  };
  const results = made.map(({ text }) => text.toLowerCase()).join('\n');
  const unused = unusedValues(made, computed)
    .filter((value) => !isOnTheWay(value, results, data))
    .map((value) => ({ value, reason: UNUSED, mayBeOwn: true }));
  const doubts = [
    ...made.flatMap((each) => doubtsIn(each, { ...data, typed: each.name === THE_ANSWER ? null : typed })),
    ...unused,
  ];
  return [...new Map(doubts.map((doubt) => [doubt.value, doubt])).values()].slice(0, MOST_DOUBTS);
}

function doubtsIn({ name, text }: Inputs['made'][number], data: Data): Doubt[] {
  if (PROGRAM_FILE.test(shortName(name))) return [];
  const { rows, prose } = partRows(text);
  return [
    ...prose.slice(0, MOST_LINES).flatMap((line) => doubtsOfLine(line.replace(LIST_MARK, ''), data)),
    ...rows.slice(0, MOST_LINES).flatMap((row) => doubtsOfRow(cellsOf(row), data)),
  ];
}

const LIST_MARK = /^\s*(?:[-*+>#]+\s*)?(?:\d+[.)]\s+)?/;

/** The values of a line that are untraced, or were to be computed and were not (D1, D2). */
function doubtsOfLine(line: string, data: Data): Doubt[] {
  return tracedIn(line, data).flatMap((value): Doubt[] => {
    const isFound = data.texts.some((text) => value.isIn(text));
    if (isFound && (!data.mustCompute || value.kind === 'day' || isInRow(value, line, data))) return [];
    const reason = isFound ? 'it was to be computed, and no command prints it' : 'it is in no input';
    return [{ value: value.text, reason, mayBeOwn: !data.mustCompute }];
  });
}

/** D3 where an input has a row of this name. */
function doubtsOfRow(cells: string[], data: Data): Doubt[] {
  const [name = '', ...others] = cells;
  const named = rowsWith(name, data).find((row) => row.cells[0] === name);
  if (named === undefined) return doubtsOfLine(cells.join(' | '), data);
  const foreign = others.filter((cell) => {
    const values = tracedIn(cell, data);
    const near = cells.filter((other) => other !== cell).flatMap((other) => rowsWith(other, data));
    if (values.length > 0) return !values.every((value) => near.some((row) => value.isIn(wordsOfRow(row))));
    return rowsWith(cell, data).length > 0 && !near.some((row) => row.cells.includes(cell));
  });
  return foreign.map((cell) => ({
    value: cell,
    reason: `it stands beside ${name}, and ${shortName(named.from)} has: ${named.cells.join(', ')}`,
    mayBeOwn: false,
  }));
}

/** The figures and days that a model has typed, and that neither the task nor a command says. */
const tracedIn = (text: string, { known, typed }: Data): Value[] =>
  valuesIn(text).filter(
    (value) =>
      (value.kind === 'figure' || value.kind === 'day') && !value.isIn(known) && (typed === null || value.isIn(typed)),
  );

/** Whether a row of an input leads from a value to what was made (D4). */
function isOnTheWay(value: string, results: string, data: Pick<Data, 'rows'>): boolean {
  const wanted = value.trim().toLowerCase();
  if (!/\p{L}|\d{3}/u.test(wanted)) return false; // a count is the number of some row, too
  return rowsWith(wanted, data).some(({ cells }) =>
    cells.some((cell) => cell !== wanted && /\p{L}{2}/u.test(cell) && results.includes(cell)),
  );
}

/** Whether a row of an input has a value beside another word of its line. */
function isInRow(value: Value, line: string, { rows }: Data): boolean {
  const beside = wordsOf(line.replaceAll(value.text, ' '));
  const near = beside.map((word) => rows.get(word) ?? []).toSorted((a, b) => a.length - b.length);
  return near
    .flat()
    .slice(0, MOST_ROWS)
    .some((row) => value.isIn(wordsOfRow(row)));
}

/** The rows that have a cell. */
const rowsWith = (cell: string, { rows }: Pick<Data, 'rows'>): Row[] =>
  (rows.get(wordsOf(cell)[0] ?? '') ?? []).filter(({ cells }) => cells.includes(cell)).slice(0, MOST_ROWS);

/** Made once: a line is compared with many rows. */
const wordsOfRow = (row: Row): TextWords => (row.words ??= wordsOfText(row.text));

/** The rows of tables among the inputs, by each of their words. */
function rowsByWord(read: Inputs['read']): Map<string, Row[]> {
  const index = new Map<string, Row[]>();
  for (const { name, text } of read)
    for (const cells of tableRows(bareText(text), name.startsWith('diff of') ? 1 : 2)) {
      const row = { text: cells.join(' | '), cells, from: name };
      for (const word of new Set(wordsOf(row.text))) {
        const known = index.get(word);
        if (known === undefined) index.set(word, [row]);
        else known.push(row);
      }
    }
  return index;
}

/** Lines of prose have commas, too: the rows of a table are several, with as many cells each; a diff may show one. */
function tableRows(text: string, least: number): string[][] {
  const rows = Map.groupBy(partRows(text).rows.map(cellsOf), ({ length }) => length);
  return [...rows.values()].filter(({ length }) => length >= least).flat();
}

/** What a file or a command contained, without the names of the fields that a call returns. */
const bareText = (text: string): string =>
  text
    .replace(/^(?:[^]*\n)??(?:content|stdout): /, '')
    .replace(/\n(?:more|stderr|exit|truncated|ms|size|skipped|binary|status): [^]*$/, '');

const cellsOf = (row: string): string[] =>
  row
    .replaceAll(/^\s*\||\|\s*$/g, '')
    .split(/[,;|\t]/)
    .map((cell) => cell.trim().toLowerCase());

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-.:][\p{L}\p{N}]+)*/gu) ?? [];
