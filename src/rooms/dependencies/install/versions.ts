/** Versions as programs print them, and ranges of them as people and packages write them. Pure. */

type Version = { numbers: readonly number[]; isEarly: boolean };

/** The version in what a program says about itself; null when it says none. */
export function findVersion(output: string): string | null {
  const lines = output.split('\n').slice(0, 20);
  for (const pattern of [DOTTED, SAID, BARE])
    for (const line of lines) {
      const found = pattern.exec(line)?.[1];
      if (found !== undefined) return found;
    }
  return null;
}

const DOTTED = /(?:^|[^\d.])(\d+(?:\.\d+)+(?:-?(?:alpha|beta|rc|dev|pre)\.?\d*)?)/i;
const SAID = /\b(?:version|release)\s+v?(\d+)\b/i;
/** less 590, and nothing else in the line before it. */
const BARE = /^[A-Za-z][\w+-]*\s+v?(\d+)\b/;

/** Whether a version is in a range: >=14, >=6,<7, ^1.2, ~1.2, ~=1.4, 3, 3.x, >=18 || ^16. */
export function satisfies(version: string, range: string): boolean {
  const found = parseVersion(version);
  if (found === null) return false;
  return range.split('||').some((part) => parseComparators(part).every((each) => matchesComparator(found, each)));
}

type Comparator = { sign: string; version: Version; isOpen: boolean };

function parseComparators(part: string): Comparator[] {
  const [, from, to] = /^\s*v?([\d.]+)\s+-\s+v?([\d.]+)\s*$/.exec(part) ?? [];
  const text = from === undefined ? part : `>=${from} <=${to}`;
  return [...text.matchAll(COMPARATOR)].map(([, sign = '', numbers = '', rest = '']) => ({
    sign,
    version: parseVersion(numbers + rest) ?? { numbers: [], isEarly: false },
    isOpen: sign === '' || /\.?[x*]$/i.test(rest),
  }));
}

const COMPARATOR = /([<>=!~^]{0,2})\s*v?(\d+(?:\.\d+)*)((?:\.[x*])+|-?(?:alpha|beta|rc|dev|pre)\.?\d*)?/gi;

function parseVersion(text: string): Version | null {
  const [, numbers, early] = /^\s*[vV=]*(\d+(?:\.\d+)*)(?:[-.]?(alpha|beta|rc|dev|pre|[ab]\d))?/i.exec(text) ?? [];
  return numbers === undefined ? null : { numbers: numbers.split('.').map(Number), isEarly: early !== undefined };
}

function matchesComparator(found: Version, { sign, version, isOpen }: Comparator): boolean {
  const order = compareVersions(found, version);
  switch (sign) {
    case '>=':
    case '=>':
      return order >= 0;
    case '>':
      return order > 0 && !(isOpen && startsWith(found, version.numbers));
    case '<=':
    case '=<':
      return order <= 0 || startsWith(found, version.numbers);
    case '<':
      return order < 0;
    case '!':
    case '!=':
      return isOpen ? !startsWith(found, version.numbers) : order !== 0;
    case '^':
      return order >= 0 && startsWith(found, version.numbers.slice(0, 1 + firstNonZero(version.numbers)));
    case '~':
      return order >= 0 && startsWith(found, version.numbers.slice(0, 2));
    case '~=':
      return order >= 0 && startsWith(found, version.numbers.slice(0, Math.max(1, version.numbers.length - 1)));
    default:
      return isOpen ? startsWith(found, version.numbers) : order === 0;
  }
}

const firstNonZero = (numbers: readonly number[]): number =>
  Math.max(
    0,
    numbers.findIndex((each) => each !== 0),
  );

const startsWith = ({ numbers }: Version, start: readonly number[]): boolean =>
  start.every((each, at) => (numbers[at] ?? 0) === each);

function compareVersions(a: Version, b: Version): number {
  for (let at = 0; at < Math.max(a.numbers.length, b.numbers.length); at += 1) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(b.isEarly) - Number(a.isEarly);
}
