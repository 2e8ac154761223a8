/** How much space the words of a picture take. */
const LINE = 16;
const PAD_X = 14;
const PAD_Y = 9;
const LEAST_WIDTH = 80;
const MOST_COLUMNS = 26;

export const LABEL_HEIGHT = LINE + 2;

/** A box with the title in bold, and below it what the node does. */
export function boxFor({ title, about }: { title: string; about: string }, least = LEAST_WIDTH): LabelledBox {
  const lines = [...wrapLabel(title), ...wrapLabel(about)];
  const width = Math.max(least, ...lines.map((line) => textWidth(line))) + 2 * PAD_X;
  return { width, height: lines.length * LINE + 2 * PAD_Y, lines };
}

type LabelledBox = { width: number; height: number; lines: string[] };

export function wrapLabel(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).flatMap((each) => each.match(/.{1,26}/gu) ?? [])) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= MOST_COLUMNS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Wide characters, such as Chinese ones, take twice the space. */
export function textWidth(text: string): number {
  return Array.from(text).reduce((sum, each) => sum + ((each.codePointAt(0) ?? 0) > 0x2e7f ? 14 : 7.4), 0);
}
