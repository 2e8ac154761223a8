/**
 * Finds catches that say nothing: they look at no error, and no comment says why that is right. A comment says it beside
 * the catch, or in or above a short function of which the catch is a good part. Turning a text into a value, or not, is said
 * by the code itself.
 */
const LONGEST = 14;
/** The only thing that is tried is reading a text as something that it may not be. */
const PARSES = /\b(?:JSON\.parse|decodeURIComponent|decode|new URL|new TextDecoder|new RegExp)\(/;
const OPENS = /^\s*(?:export |async |static |readonly |get |const |function\*? |#)*[\w#$]+.*(?:=>|\{)\s*$/;

export function silentCatches(text: string): number[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const isBlock = /\bcatch \{/.test(line);
    if (!isBlock && !/\.catch\(\(\) =>/.test(line)) return [];
    const end = isBlock ? blockEnd(lines, at) : at;
    const isSaid = [...lines.slice(at, end + 1), lines[at - 1] ?? ''].some(hasComment);
    return isSaid || (isBlock && onlyParses(lines, at)) || isDescribed(lines, at) ? [] : [at + 1];
  });
}

const hasComment = (line: string): boolean => /(?:^|\s)\/\/ |\/\*\*? |^\s*\*/.test(line);
const indentOf = (line: string): number => line.search(/\S/);

function blockEnd(lines: readonly string[], at: number): number {
  const found = lines.findIndex((line, index) => index > at && indentOf(line) === indentOf(lines[at] ?? ''));
  return found < 0 ? at : found;
}

/** Whether the block before the catch has one statement, and that reads a text. */
function onlyParses(lines: readonly string[], at: number): boolean {
  const start = lines.slice(0, at).findLastIndex((line) => /\btry \{/.test(line));
  const body = lines.slice(start + 1, at).join(' ');
  return PARSES.test(body) && !/readFile|read\(|fetch\(|await /.test(body);
}

/** Whether the function around it is short and has a comment, above it or before the catch. */
function isDescribed(lines: readonly string[], at: number): boolean {
  const own = indentOf(lines[at] ?? '');
  const opens = lines
    .slice(Math.max(0, at - LONGEST), at + 1)
    .findLastIndex(
      (line) =>
        OPENS.test(line) &&
        (indentOf(line) < own || /\.catch\(/.test(line)) &&
        !/\b(?:try|if|for|while|else)\b/.test(line),
    );
  const start = opens < 0 ? -1 : Math.max(0, at - LONGEST) + opens;
  return start > 0 && (/\*\/\s*$/.test(lines[start - 1] ?? '') || lines.slice(start, at).some(hasComment));
}
