/** The first sentences of a text: of its opening comment in source, of its first paragraph in prose. */

/** A text is read only this far for its beginning. */
const MOST_READ = 8000;

/** At most `sentences` sentences and `longest` characters. Empty when the text opens with neither comment nor prose. */
export function leadingSentences(text: string, isSource: boolean, sentences: number, longest: number): string {
  const start = text.slice(0, MOST_READ).replace(/^\uFEFF/, '');
  const paragraph = isSource ? openingComment(start) : firstParagraph(start);
  return firstSentences(paragraph, sentences, longest);
}

/** The comment at the top of a source file, or the first one before a declaration; without its marks. */
function openingComment(text: string): string {
  const rest = text.replace(/^#!.*\n/, '');
  const block = /\/\*\*?([\s\S]*?)\*\//.exec(rest);
  const quoted = /^\s*(?:"""|''')([\s\S]*?)(?:"""|''')/.exec(rest);
  if (quoted !== null) return joinLines(quoted[1] ?? '');
  const lines = /^(?:[ \t]*(?:\/\/|#|--|;;)[^\n]*\n)+/m.exec(rest);
  const first = [block, lines].filter((found) => found !== null).toSorted((one, other) => one.index - other.index)[0];
  if (first === undefined) return '';
  return joinLines(
    (first === block ? (first[1] ?? '') : first[0]).replaceAll(/^[ \t]*(?:\*|\/\/+|#+|--+|;+)[ \t]?/gm, ''),
  );
}

/** The first lines of prose: no heading, list, table, fence, quotation or front matter. */
function firstParagraph(text: string): string {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '');
  const paragraphs = body.split(/\n\s*\n/);
  const prose = paragraphs.map(withoutHeadings).find((paragraph) => /^[\p{L}\p{N}"'(_*[]/u.test(paragraph));
  return prose === undefined ? '' : joinLines(prose.split(/\n(?=\s*(?:[-*+]|\d+\.)\s|```|\|)/)[0] ?? '');
}

const withoutHeadings = (paragraph: string): string =>
  paragraph
    .split('\n')
    .filter((line) => !/^\s*(?:#{1,6}\s|<|!\[|={3,}|-{3,}|[-*+]\s|\||>|```)/.test(line))
    .join('\n')
    .trim();

const joinLines = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

function firstSentences(paragraph: string, sentences: number, longest: number): string {
  const ends = [...paragraph.matchAll(/[.!?:](?=\s|$)/g)].map(({ index }) => index + 1);
  const end = ends[Math.min(sentences, ends.length) - 1] ?? paragraph.length;
  const text = paragraph.slice(0, end).trim();
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), Math.floor(longest / 2)))}…`;
}
