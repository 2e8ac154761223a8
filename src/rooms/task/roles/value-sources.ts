/**
 * Owns: values in texts: whether a recomputed figure is the one that was claimed, and in which inputs the figures, names,
 * dates and paths of a result are found. Pure.
 *
 * Whether a value is the right one is for the critic to say. Code only knows where it is, and what a command printed.
 */
import { toOneLine } from '../../../core/schema/one-line.ts';
import { baseName } from '../../../kit/text/file-names.ts';
import { foldText } from './quotation.ts';
import { figuresIn, type TextWords, type Value, valuesIn, wordsOfText } from './traced-values.ts';

/** Whether a text contains a figure of another one. */
export function sharesFigure(text: string, other: string): boolean {
  const found = new Set(figuresIn(other));
  return figuresIn(text).some((figure) => found.has(figure));
}

type Agreement = { agrees: boolean /** How it was rounded, where that decides the last digit. */; note: string };

/** Whether what a command printed is the value that was claimed: each of its figures, rounded if need be, or its words. */
export function compareValue(claimed: string, printed: string): Agreement {
  const wanted = figuresIn(claimed);
  const found = figuresIn(printed);
  if (wanted.length === 0) return { agrees: foldText(printed).includes(foldText(claimed)), note: '' };
  const notes = wanted.map((figure) => (found.includes(figure) ? '' : roundedFrom(figure, found)));
  return { agrees: !notes.includes(null), note: notes.filter((note) => note !== null && note !== '').join('; ') };
}

/** How a figure follows from one that was found by rounding; null when it does not. */
function roundedFrom(figure: string, found: readonly string[]): string | null {
  if (!/^\d+(?:\.\d+)?$/.test(figure)) return null;
  const digits = figure.split('.')[1]?.length ?? 0;
  for (const exact of found.filter((each) => /^\d+(?:\.\d+)?$/.test(each))) {
    const ways = roundings(exact, digits);
    if (ways.every(({ value }) => Number(value) !== Number(figure))) continue;
    const isDecided = ways.some(({ value }) => Number(value) !== Number(figure));
    return isDecided ? ways.map(({ name, value }) => `${name} ${value}`).join(', ') : '';
  }
  return null;
}

/** In decimal notation, since binary fractions round differently. */
function roundings(exact: string, digits: number): { name: string; value: string }[] {
  const [whole = '0', fraction = ''] = exact.split('.');
  const unit = 10n ** BigInt(digits);
  const down = BigInt(whole) * unit + BigInt(fraction.slice(0, digits).padEnd(digits, '0') || '0');
  const rest = fraction.slice(digits).replace(/0+$/, '');
  const isUp = rest !== '' && rest >= '5';
  const isEven = rest === '5' ? down % 2n === 1n : isUp;
  const write = (value: bigint): string =>
    digits === 0 ? String(value) : `${value / unit}.${String(value % unit).padStart(digits, '0')}`;
  return [
    { name: 'half up', value: write(isUp ? down + 1n : down) },
    { name: 'half to even', value: write(isEven ? down + 1n : down) },
    { name: 'cut off', value: write(down) },
  ];
}

export type Inputs = {
  task: string;
  /** What was made: files and the answer. */
  made: readonly { name: string; text: string }[];
  /** What steps have read, and the files as they were before. */
  read: readonly { name: string; text: string }[];
  /** Files that the task gives or names. */
  given: readonly string[];
  /** What calls were given, as text. */
  calls: readonly string[];
};

/** A language that writes more than names with capitals says nothing by them. */
const MOST_NEW_NAMES = 0.5;
const FEW_NAMES = 4;
const MOST_SHOWN = 20;
const MOST_SOURCES = 6;

/** Where the values of a result are found, and which inputs nobody has read; empty when there is nothing to say. */
export function describeSources({ task, made, read, given, calls }: Inputs): string {
  const asked = wordsOfText([task, ...given, ...made.map(({ name }) => name)].join('\n'));
  const inputs = read.flatMap(({ name, text }): Input[] =>
    text === '' ? [] : [{ name: shortName(name), text: wordsOfText(text) }],
  );
  const lines = made.flatMap(({ name, text }) => {
    const values = valuesIn(text).filter((value) => !value.isIn(asked));
    const strange = values.filter((value) => !inputs.some((input) => value.isIn(input.text)));
    const areNames =
      strange.filter(isName).length <= Math.max(FEW_NAMES, values.filter(isName).length * MOST_NEW_NAMES);
    const unknown = areNames ? strange : strange.filter((value) => !isName(value));
    const sources = sourcesOf(values, inputs);
    const said = [...sources, ...(unknown.length === 0 ? [] : [`in no input: ${listed(unknown)}`])];
    return said.length === 0 ? [] : [`${shortName(name)}: ${said.join('; ')}`];
  });
  const unread = given.filter((path) => !calls.some((call) => isRead(path, call)));
  return [
    ...lines,
    ...(unread.length === 0 ? [] : [`no step has read: ${unread.slice(0, MOST_SHOWN).join(', ')}`]),
  ].join('\n');
}

const isName = ({ kind }: Value): boolean => kind === 'name';

type Input = { name: string; text: TextWords };

/** Where there is a choice of inputs: which values are found in one of them alone. */
function sourcesOf(values: readonly Value[], inputs: readonly Input[]): string[] {
  if (new Set(inputs.map(({ name }) => name)).size < 2) return [];
  const alone = Map.groupBy(values, (value) => {
    const names = new Set(inputs.filter(({ text }) => value.isIn(text)).map(({ name }) => name));
    return names.size === 1 ? [...names].join('') : '';
  });
  const known = [...alone].filter(([name]) => name !== '').slice(0, MOST_SOURCES);
  return known.map(([name, found]) => `only in ${name}: ${listed(found)}`);
}

const listed = (values: readonly Value[]): string =>
  values
    .slice(0, MOST_SHOWN)
    .map(({ text }) => text)
    .join(', ');

/** What a call was about: its file, address or command. */
const shortName = (name: string): string =>
  toOneLine(/"(?:path|url|line)":"((?:[^"\\]|\\.)+)/.exec(name)?.[1] ?? name, 80);

/** A call names the file itself, or it searched or used a pattern, and may have read it. */
const isRead = (path: string, call: string): boolean => call.includes(baseName(path)) || /[*?]|"pattern":/.test(call);
