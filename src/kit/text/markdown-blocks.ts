/**
 * Owns: parsing the markdown that steps are written in: headings, list items, paragraphs and fences, each with its line.
 * Does not own: what a fence means (runbook.ts).
 *
 * B1 A fence is a fence by CommonMark: backticks or tildes, of any length, indented at most three columns inside its list
 *    item. One inside a quotation, an HTML comment or a raw HTML block does not count.
 * B2 Nothing is guessed: a fence that is never closed, that leaves its list item, or that is indented too far is reported
 *    with its line; the code of a step is never silently longer or shorter.
 * B3 The time is linear in the length of the text, whatever it contains.
 */
export type LineProblem = { line: number; problem: string };

export type Block =
  | { kind: 'heading'; line: number; text: string; level: number }
  | { kind: 'item'; line: number; text: string; ordered: boolean }
  | { kind: 'text'; line: number; text: string }
  | { kind: 'fence'; line: number; info: string; code: string; inItem: boolean };

type Blocks = { blocks: Block[]; problems: LineProblem[] };

type OpenFence = {
  line: number;
  mark: string;
  info: string;
  /** Column where the content of the enclosing list item starts. */
  container: number;
  indent: number;
  code: string[];
  left: boolean;
};

type Reader = Blocks & {
  /** Columns where the contents of the open list items start. */
  items: number[];
  fence: OpenFence | null;
  /** Matches the line that ends the open raw HTML block. */
  raw: RegExp | null;
  /** The block that a line of plain text would continue. */
  open: Extract<Block, { text: string }> | null;
};

/** Maximum nesting of lists; anything deeper is text. */
const MAX_DEPTH = 20;
const FENCE = /^(`{3,})([^`]*)$|^(~{3,})(.*)$/;
const MARKER = /^([-+*]|\d{1,9}[.)])(?=[ \t]|$)/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const RAW = /^<(script|pre|style|textarea)(?=[\s>]|$)/i;
const LOOKS_LIKE_FENCE = /^(?:`{3,}[^`]*|~{3,}.*)$/;

export function parseBlocks(markdown: string, firstLine = 1): Blocks {
  const reader: Reader = { blocks: [], problems: [], items: [], fence: null, raw: null, open: null };
  const lines = markdown.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) readLine(reader, line, index + firstLine);
  if (reader.fence !== null) {
    const { line, mark } = reader.fence;
    reader.problems.push({ line, problem: `this fence is never closed; put ${mark} on a line of its own after it` });
  }
  return { blocks: reader.blocks, problems: reader.problems };
}

function readLine(reader: Reader, line: string, at: number): void {
  if (reader.fence !== null) return readCodeLine(reader, reader.fence, line, at);
  if (reader.raw !== null) {
    if (reader.raw.test(line)) reader.raw = null;
    return;
  }
  if (line.trim() === '') {
    reader.open = null;
    return;
  }
  readTextLine(reader, line, at);
}

function readCodeLine(reader: Reader, fence: OpenFence, line: string, at: number): void {
  const { column, rest } = measureIndent(line, 0);
  const blank = rest.trim() === '';
  if (!blank && column < fence.container && !fence.left) {
    fence.left = true;
    const problem = `this line leaves the list item whose fence opened in line ${fence.line}; indent it by ${fence.container} or more`;
    reader.problems.push({ line: at, problem });
  }
  if (column - fence.container <= 3 && isClosing(fence, rest)) {
    reader.fence = null;
    const { line: start, info, code, container } = fence;
    reader.blocks.push({ kind: 'fence', line: start, info, code: code.join('\n'), inItem: container > 0 });
    return;
  }
  fence.code.push(removeIndent(line, fence.container + fence.indent));
}

const isClosing = ({ mark }: OpenFence, rest: string): boolean => {
  const run = rest.trimEnd();
  return run.length >= mark.length && run === (mark[0] ?? '`').repeat(run.length);
};

function readTextLine(reader: Reader, line: string, at: number): void {
  const { column, rest } = measureIndent(line, 0);
  const items = reader.items.filter((start) => start <= column);
  const inside = column - (items.at(-1) ?? 0);
  if (reader.open !== null && (inside > 3 || (items.length < reader.items.length && isPlain(rest)))) {
    reportTooDeep(reader, inside, rest, at);
    reader.open.text += ` ${rest.trim()}`;
    return;
  }
  reader.items = items;
  if (inside > 3) {
    reportTooDeep(reader, inside, rest, at);
    return;
  }
  readBlock(reader, rest, column, at);
}

/** A list marker opens an item; the rest of the line is read like a line of its own. */
function readBlock(reader: Reader, rest: string, column: number, at: number): void {
  const deep = reader.items.length === MAX_DEPTH;
  const marker = deep || RULE.test(rest) ? undefined : MARKER.exec(rest)?.[1];
  if (marker === undefined) return readContent(reader, rest, column, at);
  const after = measureIndent(rest.slice(marker.length), column + marker.length);
  const gap = after.column - column - marker.length;
  const narrow = gap > 4 || after.rest === '';
  reader.items.push(narrow ? column + marker.length + 1 : after.column);
  const item: Block = { kind: 'item', line: at, text: '', ordered: /\d/.test(marker) };
  reader.blocks.push(item);
  reader.open = after.rest === '' ? null : item;
  if (after.rest !== '' && !narrow) readBlock(reader, after.rest, after.column, at);
}

function readContent(reader: Reader, rest: string, column: number, at: number): void {
  const [, backticks, backtickInfo, tildes, tildeInfo] = FENCE.exec(rest) ?? [];
  const mark = backticks ?? tildes;
  if (mark !== undefined) {
    const container = reader.items.at(-1) ?? 0;
    const info = (backtickInfo ?? tildeInfo ?? '').trim();
    reader.fence = { line: at, mark, info, container, indent: column - container, code: [], left: false };
    reader.open = null;
    return;
  }
  if (readUnderline(reader, rest)) return;
  if (readRawHtml(reader, rest)) return;
  const level = /^#{1,6}(?=[ \t]|$)/.exec(rest)?.[0].length;
  if (level !== undefined) {
    const text = removeClosingHashes(rest.slice(level).trim());
    reader.blocks.push({ kind: 'heading', line: at, text, level });
    reader.open = null;
  } else if (rest.startsWith('>') || RULE.test(rest)) reader.open = null;
  else if (reader.open !== null) reader.open.text = `${reader.open.text} ${rest.trim()}`.trim();
  else {
    reader.open = { kind: 'text', line: at, text: rest.trim() };
    reader.blocks.push(reader.open);
  }
}

/** A paragraph with a line of = or - below it is a heading; returns whether this was such a line. */
function readUnderline(reader: Reader, rest: string): boolean {
  const last = reader.blocks.at(-1);
  const run = rest.trimEnd();
  if (reader.open === null || last !== reader.open || last.kind !== 'text') return false;
  if (run !== '='.repeat(run.length) && run !== '-'.repeat(run.length)) return false;
  reader.blocks[reader.blocks.length - 1] = {
    kind: 'heading',
    line: last.line,
    text: last.text,
    level: run.startsWith('=') ? 1 : 2,
  };
  reader.open = null;
  return true;
}

function readRawHtml(reader: Reader, rest: string): boolean {
  const tag = RAW.exec(rest)?.[1];
  if (tag === undefined && !rest.startsWith('<!--')) return false;
  const end = tag === undefined ? /-->/ : new RegExp(`</${tag}>`, 'i');
  if (!end.test(rest)) reader.raw = end;
  reader.open = null;
  return true;
}

function reportTooDeep(reader: Reader, inside: number, rest: string, at: number): void {
  if (inside > 3 && LOOKS_LIKE_FENCE.test(rest))
    reader.problems.push({ line: at, problem: `this fence is indented ${inside} columns too far to be one` });
}

/** Whether a line can only continue a paragraph. */
const isPlain = (rest: string): boolean =>
  !(FENCE.test(rest) || MARKER.test(rest) || RULE.test(rest) || /^(?:#{1,6}(?:[ \t]|$)|>|<)/.test(rest));

const removeClosingHashes = (text: string): string => (/^#+$/.test(text) ? '' : text.replace(/[ \t]#+$/, '').trimEnd());

/** The column where the text of a line starts; a tab reaches to the next multiple of four. */
function measureIndent(line: string, from: number): { column: number; rest: string } {
  let column = from;
  let index = 0;
  for (; line[index] === ' ' || line[index] === '\t'; index += 1) column += line[index] === ' ' ? 1 : 4 - (column % 4);
  return { column, rest: line.slice(index) };
}

/** The line without its first columns, as far as they are blank; a tab that reaches further leaves spaces. */
function removeIndent(line: string, columns: number): string {
  let column = 0;
  let index = 0;
  for (; column < columns && (line[index] === ' ' || line[index] === '\t'); index += 1)
    column += line[index] === ' ' ? 1 : 4 - (column % 4);
  return `${' '.repeat(Math.max(0, column - columns))}${line.slice(index)}`;
}
