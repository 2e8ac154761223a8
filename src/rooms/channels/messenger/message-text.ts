/**
 * Owns: markdown as networks show it: in their markup, and in parts that are not too long. Pure.
 *
 * T1 No text becomes markup, link or button of the network unless markdown says so: everything is escaped.
 * T2 A part ends between paragraphs, else between lines, else between characters; a block of code stays one in each part.
 * T3 A table is set in columns, since no network shows tables.
 */
import type { Markup } from './messenger.ts';

type Block = { kind: 'code'; lines: readonly string[] } | { kind: 'text'; lines: readonly string[] };

type Part = { text: string; plain: string };

/** The parts of a text, each at most `most` characters as it is shown. */
export function partsOf(markdown: string, most: number, markup: Markup): Part[] {
  const parts: Block[][] = [];
  let current: Block[] = [];
  const lengthOf = (blocks: readonly Block[]): number => plainOf(blocks).length;
  for (const block of blocksOf(markdown).flatMap((each) => cutBlock(each, most))) {
    if (current.length > 0 && lengthOf([...current, block]) > most) {
      parts.push(current);
      current = [];
    }
    current.push(block);
  }
  if (current.length > 0) parts.push(current);
  return parts.map((blocks) => ({
    text: markup === 'html' ? blocks.map(htmlOf).join('\n\n') : plainOf(blocks),
    plain: plainOf(blocks),
  }));
}

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { kind: Block['kind']; lines: string[]; fence: string } | null = null;
  const end = (): void => {
    if (open !== null && open.lines.length > 0) blocks.push(toBlock(open));
    open = null;
  };
  for (const line of markdown.replaceAll('\r\n', '\n').split('\n')) {
    const [, fence = ''] = /^\s{0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (open?.kind === 'code') {
      if (fence !== '' && fence.startsWith(open.fence) && line.trim() === fence) end();
      else open.lines.push(line);
    } else if (fence !== '') {
      end();
      open = { kind: 'code', lines: [], fence };
    } else if (line.trim() === '') end();
    else (open ??= { kind: 'text', lines: [], fence: '' }).lines.push(line);
  }
  end();
  return blocks;
}

const ROW = /^\s*\|.*\|\s*$/;

function toBlock({ kind, lines }: { kind: Block['kind']; lines: string[] }): Block {
  return kind === 'text' && lines.length > 1 && lines.every((line) => ROW.test(line))
    ? { kind: 'code', lines: inColumns(lines) }
    : { kind, lines };
}

function inColumns(rows: readonly string[]): string[] {
  const cells = rows
    .filter((row) => !/^[\s|:-]+$/.test(row))
    .map((row) =>
      row
        .trim()
        .slice(1, -1)
        .split('|')
        .map((cell) => plainLine(cell.trim())),
    );
  const widths = Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, at) =>
    Math.max(...cells.map((row) => (row[at] ?? '').length)),
  );
  return cells.map((row) =>
    widths
      .map((width, at) => (row[at] ?? '').padEnd(width))
      .join('  ')
      .trimEnd(),
  );
}

/** Between lines, and only then within one (T2). */
function cutBlock({ kind, lines }: Block, most: number): Block[] {
  const cut: Block[] = [];
  let current: string[] = [];
  const pieces = lines.flatMap((line) => cutLine(line, most));
  for (const line of pieces) {
    if (current.length > 0 && plainOf([{ kind, lines: [...current, line] }]).length > most) {
      cut.push({ kind, lines: current });
      current = [];
    }
    current.push(line);
  }
  return current.length > 0 ? [...cut, { kind, lines: current }] : cut;
}

/** Never between the halves of a character. */
function cutLine(line: string, most: number): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > most) {
    const space = rest.lastIndexOf(' ', most);
    const at = space > most / 2 ? space : /[\uD800-\uDBFF]/.test(rest[most - 1] ?? '') ? most - 1 : most;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...pieces, rest];
}

const plainOf = (blocks: readonly Block[]): string =>
  blocks.map(({ kind, lines }) => (kind === 'code' ? lines : lines.map(plainLine)).join('\n')).join('\n\n');

const LINK = /!?\[([^\]\n]*)\]\((https?:\/\/[^\s()]+)\)/;
const INLINE = new RegExp(`\`([^\`\\n]+)\`|\\*\\*([^*\\n]+)\\*\\*|${LINK.source}`, 'g');

const plainLine = (line: string): string =>
  withoutMarks(line).replaceAll(INLINE, (_all, code?: string, bold?: string, label?: string, url?: string) =>
    label === undefined
      ? (code ?? bold ?? '')
      : label === '' || label === url
        ? (url ?? '')
        : `${label} (${url ?? ''})`,
  );

/** A link is shown with its address, so that nobody is led elsewhere than the words say. */
function htmlLine(line: string): string {
  const heading = /^#{1,6} +/.test(line);
  let html = '';
  let last = 0;
  const bare = withoutMarks(line);
  for (const match of bare.matchAll(INLINE)) {
    const [all, code, bold, label, url] = match;
    html += escapeHtml(bare.slice(last, match.index));
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`;
    else if (bold !== undefined) html += `<b>${escapeHtml(bold)}</b>`;
    else html += escapeHtml(label === '' || label === url ? (url ?? '') : `${label ?? ''} (${url ?? ''})`);
    last = match.index + all.length;
  }
  html += escapeHtml(bare.slice(last));
  return heading ? `<b>${html.replaceAll(/<\/?b>/g, '')}</b>` : html;
}

const withoutMarks = (line: string): string => line.replace(/^#{1,6} +/, '').replace(/^(\s*)[-*] +/, '$1• ');

const htmlOf = ({ kind, lines }: Block): string =>
  kind === 'code' ? `<pre>${escapeHtml(lines.join('\n'))}</pre>` : lines.map(htmlLine).join('\n');

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
