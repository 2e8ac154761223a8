/**
 * What a file contains, in a few lines and without a model: its first sentences, its headings or exported names with
 * their lines, and what it imports.
 *
 * 1. The outline follows from the content and from the ending of the name alone, so it is the same on every machine.
 * 2. It takes time linear in the length of the text.
 */
import type { DeclaredName } from './declaration-line.ts';
import { readDeclaredLines } from './declared-lines.ts';
import { leadingSentences } from './leading-sentences.ts';
import { readModuleNames } from './module-names.ts';

export type FileOutline = {
  lines: number;
  lead: string;
  headings: Heading[];
  names: DeclaredName[];
  specifiers: string[];
};

type Heading = { level: number; text: string; line: number };

const SCRIPTS = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'];
const PROSE = ['md', 'markdown', 'txt', 'rst', 'adoc', 'org', ''];
const MARKDOWN = ['md', 'markdown', 'adoc'];

/** Longer texts are outlined by their beginning. */
const MOST_READ = 2_000_000;

export function outlineOf(text: string, ending: string): FileOutline {
  const read = text.slice(0, MOST_READ);
  const parsed = SCRIPTS.includes(ending) ? readModuleNames(read) : null;
  return {
    lines: countLines(text),
    lead: leadingSentences(read, !PROSE.includes(ending), 3, 480),
    headings: MARKDOWN.includes(ending) ? readHeadings(read) : [],
    names: parsed?.names ?? readDeclaredLines(read, ending),
    specifiers: parsed?.specifiers ?? [],
  };
}

/** The ending of a name in small letters, without the dot: `a.d.ts` ends in ts, `.env` and `Makefile` in nothing. */
export function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** Headings of markdown (or AsciiDoc), outside fences. */
function readHeadings(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence = '';
  text.split('\n').forEach((line, index) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (mark !== '' && fence === '') fence = mark;
    else if (mark !== '' && mark.startsWith(fence)) fence = '';
    const heading = fence === '' ? /^ {0,3}(#{1,6}|={2,6})\s+(\S.*)$/.exec(line) : null;
    if (heading !== null) {
      const title = (heading[2] ?? '').replace(/\s+#+\s*$/, '').trim();
      headings.push({ level: heading[1]?.length ?? 1, text: title.slice(0, 160), line: index + 1 });
    }
  });
  return headings;
}

function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
