/**
 * Owns: figures in texts: whether a recomputed value is the one that was claimed, and in which inputs the figures of a
 * result are found. Pure.
 *
 * Whether a figure is the right one is for the critic to say. Code only knows where it is, and what a command printed.
 */
import { baseName } from '../../../kit/text/file-names.ts';
import { foldText } from './quotation.ts';

/** A figure as it is compared: without separators of thousands. A date or a time is one figure. */
export function figuresIn(text: string): string[] {
  return (text.match(/\d+(?:[-:/.,]\d+)*/g) ?? []).map((figure) => figure.replaceAll(/,(?=\d{3}(?!\d))/g, ''));
}

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

const MOST_SHOWN = 20;

/** Where the figures of a result are found, and which inputs nobody has read; empty when there is nothing to say. */
export function describeSources({ task, made, read, given, calls }: Inputs): string {
  const asked = new Set(figuresIn(task));
  const lines = made.flatMap(({ name, text }) => {
    const figures = [...new Set(figuresIn(text))].filter((figure) => !asked.has(figure));
    const unknown = figures.filter((figure) => !read.some((each) => figuresIn(each.text).includes(figure)));
    return unknown.length === 0 ? [] : [`${name}: in no input: ${unknown.slice(0, MOST_SHOWN).join(', ')}`];
  });
  const unread = given.filter((path) => !calls.some((call) => isRead(path, call)));
  return [
    ...lines,
    ...(unread.length === 0 ? [] : [`no step has read: ${unread.slice(0, MOST_SHOWN).join(', ')}`]),
  ].join('\n');
}

/** A call names the file itself, or it searched or used a pattern, and may have read it. */
const isRead = (path: string, call: string): boolean => call.includes(baseName(path)) || /[*?]|"pattern":/.test(call);
