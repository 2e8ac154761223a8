/** Where a name is declared, and the line that declares it. */

export type DeclaredName = {
  name: string;
  /** Counted from 1. */
  line: number;
  /** The beginning of the declaration, up to its body, on one line. */
  declaration: string;
};

const LONGEST = 120;
/** A declaration is read at most this far; nobody needs more of it to know what it is. */
const MOST_READ = 400;

/** Positions must not decrease from call to call; then counting is linear in the length of the text. */
export function lineCounter(text: string): (position: number) => number {
  let line = 1;
  let from = 0;
  return (position) => {
    if (position < from) [line, from] = [1, 0];
    for (let at = text.indexOf('\n', from); at !== -1 && at < position; at = text.indexOf('\n', from)) {
      line += 1;
      from = at + 1;
    }
    return line;
  };
}

/** The declaration that begins here, without its body. */
export function declarationAt(text: string, start: number): string {
  const rest = text.slice(start, start + MOST_READ);
  const end = endOfHead(rest);
  const oneLine = rest.slice(0, end).replaceAll(/\s+/g, ' ').trim();
  return oneLine.length <= LONGEST ? oneLine : `${oneLine.slice(0, LONGEST - 1)}…`;
}

/** The first body, value or end of line outside brackets. */
function endOfHead(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (depth === 0 && at > 0 && (sign === '{' || sign === ';' || sign === '\n' || isValueSign(text, at))) return at;
    if (sign === '(' || sign === '[' || sign === '{') depth += 1;
    if (sign === ')' || sign === ']' || sign === '}') depth -= 1;
  }
  return text.length;
}

const isValueSign = (text: string, at: number): boolean => text[at] === '=' && text[at + 1] !== '>';
