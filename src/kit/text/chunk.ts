/** Splits long texts into chunks at paragraphs, lines or sentences, and never inside a character. */

/** About 250 tokens of prose. */
const MAX_CHUNK_LENGTH = 1000;
const MAX_CHUNKS = 40;

export function splitIntoChunks(text: string, longest = MAX_CHUNK_LENGTH, most = MAX_CHUNKS): string[] {
  const chunks: string[] = [];
  let rest = text.trim();
  while (rest.length > longest && chunks.length < most - 1) {
    const end = findChunkEnd(rest, longest);
    chunks.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') chunks.push(rest.slice(0, findChunkEnd(rest, longest)));
  return chunks.filter((chunk) => chunk !== '');
}

const BREAKS = [/\n\s*\n/g, /\n/g, /[.!?。！？]["'”’)]?\s|[。！？]/g, /[,;:，、]\s?/g, /\s/g];

/** Returns the end of the last good break that leaves a chunk of at least half the maximum length. */
function findChunkEnd(text: string, longest: number): number {
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
