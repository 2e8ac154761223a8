/**
 * Owns: how a criterion shows that it is meant as a check, and the message about a word that is none.
 *
 * A criterion that begins with a lower-case word and a colon is a check. A sentence that has to begin so is written
 * `prose: …`. An address (http://…) is not such a word.
 */
import { nearestWord } from '../../core/schema/nearest-word.ts';

export const PROSE = 'prose';

const LEADING_WORD = /^(\p{L}[\p{L}\p{N}_-]*)[ \t]?:(?!\/\/)\s*([\s\S]*)$/u;
const IN_BACKTICKS = /^`([^`]+)`$/;
const LONGEST_QUOTE = 60;

/** What people and models write instead of the ten words. */
const SYNONYMS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    file: 'exists exist present is_file file_exists path absent missing gone created written output nonempty not_empty',
    folder: 'dir directory is_dir folder_exists dir_exists',
    contains: 'contain include includes has text grep find string',
    lacks: 'lack excludes exclude without not_contains no omits',
    matches: 'match regex regexp pattern re',
    json: 'schema field jq key value jsonpath',
    rows: 'row lines line count length csv rowcount records',
    command: 'cmd run runs exec shell sh bash script exit test passes',
    http: 'https url get fetch status curl web',
    unchanged: 'same untouched intact unmodified keep changed',
  }).flatMap(([word, others]) => others.split(' ').map((other) => [other, word])),
);

/** The word before the colon in lower case and what follows it; null when the text does not begin like a check. */
export function leadingWordIn(text: string): { word: string; rest: string } | null {
  const [, found, rest] = LEADING_WORD.exec(withoutBackticks(text)) ?? [];
  return found === undefined || rest === undefined ? null : { word: found, rest: rest.trim() };
}

/** Prose without the word that marks it. */
export function proseIn(text: string): string {
  const leading = leadingWordIn(text);
  return leading?.word.toLowerCase() === PROSE ? leading.rest : text;
}

/** `hints` has the known words, each with what it checks, in a few words. */
export function describeUnknownWord(
  word: string,
  rest: string,
  hints: ReadonlyMap<string, string>,
): { problem: string; asProse: string } {
  const guess = SYNONYMS[word.replaceAll('-', '_')] ?? nearestWord(word, [...hints.keys()]);
  const shown = rest.length > LONGEST_QUOTE ? `${rest.slice(0, LONGEST_QUOTE)}…` : rest;
  const suggestion = guess === null ? '' : `, did you mean "${guess}: ${shown}"?`;
  const list = [...hints].map(([known, hint]) => `${known} (${hint})`).join(', ');
  return {
    problem: `"${word}" is not a check${suggestion || '.'} The checks are: ${list}`,
    asProse: `A sentence that begins with a word and a colon is written "${PROSE}: ${word}: ${shown}"`,
  };
}

/** A check in a list of a markdown file may be marked as code. */
function withoutBackticks(text: string): string {
  const inside = IN_BACKTICKS.exec(text)?.[1];
  return inside !== undefined && LEADING_WORD.test(inside) ? inside : text;
}
