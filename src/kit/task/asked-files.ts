/** Owns: the files that the text of a task plainly asks for. Pure. */
import { parseCriterion, type Criterion } from './criteria.ts';
import { baseName, fileNamesIn } from '../text/file-names.ts';

/** A criterion for each file that the text asks for and no other criterion mentions. */
export function fileDemands(text: string, criteria: readonly Criterion[]): Criterion[] {
  const mentioned = criteria.map((each) => each.text).join('\n');
  return filesAskedFor(text)
    .filter((path) => !mentioned.includes(baseName(path)))
    .flatMap((path) => {
      const read = parseCriterion(`file: ${path.includes(' ') ? `"${path}"` : path} is not empty`, 'operator');
      return 'problem' in read ? [] : [read];
    });
}

/** What a sentence says that wants a file. */
export const MAKE = 'write|save|create|generate|produce|export|store|put|record';
const ASKS_FOR_FILE = new RegExp(
  String.raw`(?:^|[,:]\s*|\b(?:and|then|please|also|finally)\s+)(?:(?:then|please|also)\s+)?(?:${MAKE})\b(.*)$`,
  'i',
);
const NOT_PLAIN =
  /\b(?:if|unless|when|whenever|where|would|should|could|might|example|e\.g\.|such as|like|instead|not|never|no|without|only|or|each|every|script|program)\b|n['’]t\b/i;
const SOURCE = /\b(?:from|based on|using|with|of|about|that|which|for|as in|by)\b/i;

/** Files that the task asks for without a condition: "write the totals to out.csv". */
export function filesAskedFor(text: string): string[] {
  const names = sentencesIn(text).flatMap((sentence) => {
    const rest = NOT_PLAIN.test(sentence) ? undefined : ASKS_FOR_FILE.exec(sentence)?.[1];
    return rest === undefined ? [] : fileAfter(rest);
  });
  return [...new Set(names)];
}

/** The file behind "to", "into", "in" or "as", or the only one that stands before any word that names a source. */
function fileAfter(rest: string): string[] {
  const placed = /\b(?:in|into|to|as|called|named)\s+(?:the file |a file |file )?[`"'*]*(\S+)/gi;
  const named = [...rest.matchAll(placed)].flatMap((match) => fileNamesIn(match[1] ?? '').slice(0, 1));
  if (named.length > 0) return named;
  const end = SOURCE.exec(rest)?.index;
  return fileNamesIn(end === undefined ? rest : rest.slice(0, end)).slice(0, 1);
}

/** The sentences of a text without its code blocks. */
export const sentencesIn = (text: string): string[] =>
  text
    .replaceAll(/^\s{0,3}(?:```|~~~)[\s\S]*?^\s{0,3}(?:```|~~~)/gm, ' ')
    .split(/\n\s*\n|\n(?=\s*[-*\d#])|(?<=[.!?;])\s+/)
    .map((each) =>
      each
        .replaceAll(/\s+/g, ' ')
        .replace(/^\W*(?:[-*#]+|\d+[.)])\s*/, '')
        .trim(),
    )
    .filter((each) => each !== '');
