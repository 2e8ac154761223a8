/**
 * Owns: whether what a command printed is the value that was claimed. Pure.
 *
 * V1 It agrees where it says the same in any notation: with other separators, as a percentage, as another form of a date, or
 *    rounded; how it was rounded is noted where that decides the last digit.
 * V2 It contradicts only where both are plain values that differ. What cannot be compared, such as another unit, a number
 *    as a word or the other sign, decides nothing: right work must not be refused for the way in which it was written.
 */
import { foldText } from './quotation.ts';
import { figuresIn, valuesIn, wordsOfText } from './traced-values.ts';

type Agreement = {
  /** Null where nobody can say. */
  agrees: boolean | null;
  /** How it was rounded, where that decides the last digit. */
  note: string;
};

const UNDECIDED: Agreement = { agrees: null, note: '' };

/** Whether what a command printed is the value that was claimed: its days, its figures, rounded if need be, or its words. */
export function compareValue(claimed: string, printed: string): Agreement {
  if (foldText(claimed) !== '' && foldText(claimed) === foldText(printed)) return { agrees: true, note: '' };
  const [wanted, found] = [daysOf(claimed), daysOf(printed)];
  if (wanted.days.length > 0) {
    const isThere = wanted.days.every((day) => day.isIn(wordsOfText(printed)));
    if (!isThere) return found.days.length > 0 ? { agrees: false, note: '' } : UNDECIDED;
    return figuresIn(wanted.rest).length === 0 ? { agrees: true, note: '' } : compareFigures(wanted.rest, found.rest);
  }
  return figuresIn(claimed).length > 0 ? compareFigures(claimed, printed) : compareWords(claimed, printed);
}

function daysOf(text: string) {
  const days = valuesIn(text).filter(({ kind }) => kind === 'day');
  return { days, rest: days.reduce((rest, day) => rest.replaceAll(day.text, ' '), text) };
}

/** Numbers as words, scales, fractions and times are other notations, which are not read. */
const OTHER_NOTATION =
  /\d *(?:k|m|bn|h|hrs?|hours?|min|minutes?|s|seconds?|days?|weeks?|months?)\b|\b(?:thousand|million|billion|dozen|half|quarter|thirds?)\b|\de[+-]?\d|\d[:/]\d/i;

function compareFigures(claimed: string, printed: string): Agreement {
  if (figuresIn(printed).length === 0) return UNDECIDED;
  const compared = notationsOf(claimed).flatMap((wanted) =>
    notationsOf(printed).map((found) => compareNotation(wanted, found, claimed.includes('%'))),
  );
  const agreed = compared.find((each) => each !== null);
  if (agreed === undefined) return isOtherNotation(claimed, printed) ? UNDECIDED : { agrees: false, note: '' };
  return isNegative(claimed) === isNegative(printed) ? { agrees: true, note: agreed } : UNDECIDED;
}

const isOtherNotation = (claimed: string, printed: string): boolean =>
  OTHER_NOTATION.test(claimed) || (figuresIn(printed).length === 1 && OTHER_NOTATION.test(printed));

const isNegative = (text: string): boolean => /(?:^|[^\w.,])[-−]\d/.test(text);

/** A text as it stands, and with the separators of other countries. */
function notationsOf(text: string): string[] {
  const plain = text.replaceAll(/\b\d{1,3}(?:[. \u00a0\u202f']\d{3})+(?:,\d+)?\b|\b\d+,\d+\b/g, (figure) =>
    figure.replaceAll(/[. \u00a0\u202f']/g, '').replace(',', '.'),
  );
  return [...new Set([text, plain])];
}

/** How the figures of a claim were rounded, empty if they were not; null where they are others. The shorter list counts. */
function compareNotation(claimed: string, printed: string, isPercentage: boolean): string | null {
  const printedFigures = figuresIn(printed);
  const hundredfold = isPercentage ? printedFigures.flatMap(timesHundred) : [];
  const wanted = figuresIn(claimed);
  const found = [...printedFigures, ...hundredfold];
  if (wanted.length > printedFigures.length) {
    const isCovered = printedFigures.every((figure) =>
      wanted.some((each) => sameFigure(each, [figure, ...(isPercentage ? timesHundred(figure) : [])]) !== null),
    );
    return isCovered ? '' : null;
  }
  const notes = wanted.map((figure) => sameFigure(figure, found));
  return notes.includes(null) ? null : notes.filter((note) => note !== '').join('; ');
}

const sameFigure = (figure: string, found: readonly string[]): string | null =>
  found.includes(figure) ? '' : roundedFrom(figure, found);

/** In decimal notation, since binary fractions round differently. */
function timesHundred(figure: string): string[] {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(figure) ?? [];
  if (whole === '') return [];
  const digits = fraction.padEnd(2, '0');
  const left = `${whole}${digits.slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  return [digits.length > 2 ? `${left}.${digits.slice(2)}` : left];
}

const NO_NAME =
  /^(?:yes|no|none|nothing|never|true|false|ok|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/i;

/** Words agree if they were printed; they contradict if what was printed begins like none of them. */
function compareWords(claimed: string, printed: string): Agreement {
  if (foldText(printed).includes(foldText(claimed))) return { agrees: true, note: '' };
  const starts = new Set(startsOf(printed));
  const isUnclear =
    NO_NAME.test(claimed.trim()) || starts.size === 0 || startsOf(claimed).some((each) => starts.has(each));
  return isUnclear ? UNDECIDED : { agrees: false, note: '' };
}

const startsOf = (text: string): string[] =>
  (text.toLowerCase().match(/\p{L}{2,}/gu) ?? []).map((word) => word.slice(0, 3));

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
