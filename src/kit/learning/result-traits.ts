/**
 * Owns: what the result of a procedure is like, what results that were right had in common, and what is odd about one. It
 * says nothing of whether one is right: an odd one is judged by the critic. Pure.
 */
import type { ExpectedResult, FileShape, ResultTraits } from '../../core/schema/procedure.ts';
import { shapeOf } from './file-shape.ts';

export type WrittenFile = { text: string; bytes: number };

export function traitsOf(files: readonly WrittenFile[], inputs: Readonly<Record<string, FileShape>>): ResultTraits {
  const shapes = files.map(({ text }) => shapeOf(text));
  const numbers = files.flatMap(({ text }) => text.match(/(?<![\p{L}\d._/-])\d+(?:[.,]\d+)*(?![\p{L}\d_/-])/gu) ?? []);
  return {
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: shapes.reduce((sum, { rows }) => sum + rows, 0),
    read: Object.values(inputs).reduce((sum, { rows }) => sum + rows, 0),
    columns: shapes.find(({ columns }) => columns.length > 0)?.columns ?? [],
    zero: numbers.length === 0 ? null : numbers.every((number) => !/[1-9]/.test(number)),
  };
}

/** Fewer than these have nothing in common that says something. */
const LEAST = 3;

export function expectedOf(results: readonly ResultTraits[]): ExpectedResult | null {
  const [first] = results;
  if (first === undefined || results.length < LEAST) return null;
  const range = (of: (each: ResultTraits) => number): ExpectedResult['files'] => ({
    least: Math.min(...results.map(of)),
    most: Math.max(...results.map(of)),
  });
  const hasSame = results.every(({ columns }) => columns.join('\n') === first.columns.join('\n'));
  return {
    files: range(({ files }) => files),
    bytes: range(({ bytes }) => bytes),
    same_rows: results.every(({ rows, read }) => read > 1 && rows === read),
    columns: hasSame ? first.columns : null,
    not_zero: results.every(({ zero }) => zero === false),
  };
}

/** How much smaller or larger than all before it may be. */
const SIZE = 3;
const SMALL = 200;

const shown = ({ least, most }: ExpectedResult['files']): string =>
  least === most ? `${least}` : `${least} to ${most}`;

/** What is odd about a result, for a person; empty when nothing is. */
export function oddities(
  result: ResultTraits,
  { files, bytes, same_rows, columns, not_zero }: ExpectedResult,
): string[] {
  const found: [boolean, string][] = [
    [
      result.files < files.least || result.files > files.most,
      `it changed ${result.files} files, not ${shown(files)} as before`,
    ],
    [
      result.bytes * SIZE + SMALL < bytes.least ||
        result.bytes > bytes.most * SIZE + SMALL ||
        (result.bytes === 0 && bytes.least > 0),
      `what it wrote has ${result.bytes} bytes, not ${shown(bytes)} as before`,
    ],
    [same_rows && result.rows !== result.read, `it read ${result.read} lines and wrote ${result.rows}`],
    [
      columns !== null && columns.join('\n') !== result.columns.join('\n'),
      `its columns are ${result.columns.join(', ')}, not ${(columns ?? []).join(', ')} as before`,
    ],
    [not_zero && result.zero === true, 'every number in it is 0'],
  ];
  return found.flatMap(([isOdd, what]) => (isOdd ? [what] : []));
}
