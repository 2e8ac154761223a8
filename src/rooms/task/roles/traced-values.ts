/**
 * Owns: the values of a text, which are figures, days, names, paths and addresses, and whether another text has them in some
 * notation. Pure.
 *
 * It is a search, and no judgement: what looks like a name may be a word, so nothing is refused because of it.
 */
import { baseName, fileNamesIn } from '../../../kit/text/file-names.ts';

/** `isIn` says whether a text has it, too. */
export type Value = { text: string; kind: 'figure' | 'day' | 'name' | 'path'; isIn: (other: TextWords) => boolean };

/** What can be looked up in a text. */
export type TextWords = {
  figures: ReadonlySet<string>;
  days: ReadonlySet<string>;
  words: ReadonlySet<string>;
  text: string;
};

export function wordsOfText(text: string): TextWords {
  return {
    figures: new Set([text, text.replaceAll(',', ' ')].flatMap(figuresIn).map(plainFigure)),
    days: new Set(daysIn(text).flatMap(({ on, year }) => [on, `${on} of ${year}`])),
    words: new Set(wordsIn(text)),
    text: text.toLowerCase(),
  };
}

/** Each value once. */
export function valuesIn(text: string): Value[] {
  const all = [...dayValues(text), ...figureValues(text), ...pathValues(text), ...nameValues(text)];
  return [...Map.groupBy(all, (value) => value.text).values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : [{ ...first, isIn: (other) => same.some((each) => each.isIn(other)) }];
  });
}

/** A figure as it is compared: without separators of thousands. A date or a time is one figure. */
export function figuresIn(text: string): string[] {
  return (text.match(/\d+(?:[-:/.,]\d+)*/g) ?? []).map((figure) => figure.replaceAll(/,(?=\d{3}(?!\d))/g, ''));
}

const plainFigure = (figure: string): string => (/^\d+\.\d+$/.test(figure) ? String(Number(figure)) : figure);

function figureValues(text: string): Value[] {
  const bare = daysIn(text).reduce((rest, day) => rest.replaceAll(day.text, ' '), text);
  const { rows, prose } = partRows(bare);
  const parted = [...prose, ...rows.map((line) => line.replaceAll(',', ' '))].join('\n');
  return figuresIn(parted).map((figure) => ({
    text: figure,
    kind: 'figure',
    isIn: ({ figures }) => figures.has(plainFigure(figure)),
  }));
}

const MONTHS = String.raw`jan(?:uary?|uar)?|feb(?:ruary?|ruar)?|mar(?:ch)?|märz?|apr(?:il)?|ma[yi]|jun[ei]?|jul[yi]?|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?`;
const MONTH = String.raw`(?<!\p{L})(${MONTHS})(?!\p{L})`;
const STARTS = ['jan', 'feb', 'mar', 'apr', 'ma', 'jun', 'jul', 'aug', 'sep', 'o', 'nov', 'de'];
/** Which groups are year, month and day. */
const DAYS: readonly (readonly [shape: RegExp, year: number, month: number, day: number])[] = [
  [/(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g, 1, 2, 3],
  [/(?<!\d)(\d{1,2})[./](\d{1,2})[./](\d{4})(?!\d)/g, 3, 2, 1],
  [/(?<!\d)(\d{1,2})[./](\d{1,2})[./](\d{4})(?!\d)/g, 3, 1, 2],
  [new RegExp(String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.? (?:of )?${MONTH}(?:\.?,? (\d{4}))?`, 'giu'), 3, 2, 1],
  [new RegExp(String.raw`${MONTH}\.? (\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,? (\d{4}))?`, 'giu'), 3, 1, 2],
];

/** The days of a text in any notation. One that can be read in two ways is there twice. */
function daysIn(text: string): { text: string; on: string; year: string }[] {
  return DAYS.flatMap(([shape, year, month, day]) =>
    [...text.matchAll(shape)].flatMap((found) => {
      const [number, date] = [monthOf(found[month] ?? ''), Number(found[day])];
      const isDay = number >= 1 && number <= 12 && date >= 1 && date <= 31;
      return isDay ? [{ text: found[0], on: `${number}-${date}`, year: found[year] ?? '' }] : [];
    }),
  );
}

/** 1 to 12; 0 for what is no month. */
function monthOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  if (!new RegExp(`^(?:${MONTHS})$`, 'iu').test(text)) return 0;
  const name = text.toLowerCase().replace('mär', 'mar');
  return STARTS.findIndex((start) => name.startsWith(start)) + 1;
}

/** Without its year a day is found in each; with it, also where none is named. */
const dayValues = (text: string): Value[] =>
  daysIn(text).map(({ text: date, on, year }) => ({
    text: date,
    kind: 'day',
    isIn: ({ days }) => (year === '' ? days.has(on) : days.has(`${on} of ${year}`) || days.has(`${on} of `)),
  }));

const ADDRESS = /https?:\/\/[^\s<>"')\]]+|\w[\w.+-]*@[\w-]+(?:\.[\w-]+)+/g;

/** Names of files are found by their last part, addresses as they stand. */
const pathValues = (text: string): Value[] =>
  [...fileNamesIn(text).map(baseName), ...(text.match(ADDRESS) ?? [])].map((path) => ({
    text: path,
    kind: 'path',
    isIn: (other) => other.text.includes(path.toLowerCase()),
  }));

/** Words with a capital where no sentence, line, cell or list begins: those are seldom anything but a name. */
const NAME = /(?<=[\p{L}\p{N},;)&] )\p{Lu}\p{L}*\p{Ll}[\p{L}'’-]*(?: (?:& )?\p{Lu}\p{L}*\p{Ll}[\p{L}'’-]*)*/gu;
/** A cell of a table that is a name alone; the heading is none. */
const CELL = /(?<=(?:^|[,;|\t]) ?)\p{Lu}\p{L}*\p{Ll}[\p{L}'’-]*(?: (?:& )?\p{Lu}[\p{L}'’-]*)*(?= ?(?:[,;|\t]|$))/gmu;

/** Each is found by its words: "Rossi, Anna" is "Anna Rossi". */
function nameValues(text: string): Value[] {
  const { rows, prose } = partRows(text);
  const sentences = prose.filter((line) => !line.startsWith('#')).join('\n');
  const paths = pathValues(text);
  const cells = rows.slice(1).join('\n');
  const names = [...(sentences.match(NAME) ?? []), ...(cells.match(CELL) ?? [])].filter(
    (name) => monthOf(name) === 0 && paths.every((path) => !path.text.includes(name)),
  );
  return names.map((name) => ({
    text: name,
    kind: 'name',
    isIn: ({ words }) => wordsIn(name).every((word) => words.has(word)),
  }));
}

/** The rows of tables: lines of several cells, or of two where every line has two. */
export function partRows(text: string): { rows: string[]; prose: string[] } {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*\|?\s*:?-{3,}/.test(line));
  const marks = lines.map((line) => (line.match(/[,;|\t]/g) ?? []).length);
  const isTable = lines.length > 1 && marks[0] !== 0 && marks.every((count) => count === marks[0]);
  const isRow = (line: string, index: number): boolean =>
    (isTable || (marks[index] ?? 0) >= 2) && !/[.!?]\s*$/.test(line);
  return { rows: lines.filter(isRow), prose: lines.filter((line, index) => !isRow(line, index)) };
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
