/** Long texts in pieces that keep their meaning: cut at paragraphs, lines or sentences, never through a character. */

/** About 250 tokens of prose. */
const LONGEST = 1000;
const MOST_PIECES = 40;

export function piecesOf(text: string, longest = LONGEST, most = MOST_PIECES): string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest.length > longest && pieces.length < most - 1) {
    const end = endOf(rest, longest);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') pieces.push(rest.slice(0, endOf(rest, longest)));
  return pieces.filter((piece) => piece !== '');
}

const BREAKS = [/\n\s*\n/g, /\n/g, /[.!?。！？]["'”’)]?\s|[。！？]/g, /[,;:，、]\s?/g, /\s/g];

/** Behind the last good break that leaves a piece of at least half the length. */
function endOf(text: string, longest: number): number {
  if (text.length <= longest) return text.length;
  const window = text.slice(0, longest);
  for (const breaks of BREAKS) {
    const last = [...window.matchAll(breaks)].at(-1);
    const end = last === undefined ? 0 : last.index + last[0].length;
    if (end >= longest / 2) return end;
  }
  const isPair = /[\uD800-\uDBFF]/.test(text[longest - 1] ?? '');
  return isPair ? longest - 1 : longest;
}
