/** How wide a terminal is, and text broken into lines of that width. */
const NARROWEST = 40;

/** Where there is no terminal, such as in a pipe, nothing is cut. */
export function terminalWidth({ isTTY, columns }: { isTTY?: boolean; columns?: number }): number {
  return isTTY === true && columns !== undefined ? Math.max(NARROWEST, columns) : Number.POSITIVE_INFINITY;
}

/** Lines of at most `width` characters, broken between words; a longer word is broken where the line ends. */
export function wrapWords(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else if (word.length <= width) lines.push(word);
    else lines.push(...chunksOf(word, width));
  }
  return lines;
}

function chunksOf(word: string, width: number): string[] {
  const characters = Array.from(word);
  const count = Math.ceil(characters.length / width);
  return Array.from({ length: count }, (_, at) => characters.slice(at * width, (at + 1) * width).join(''));
}
