/** Somebody else's text on a terminal: one line of it, cut or wrapped to the width. */
import { plainText } from '../schema/readable-text.ts';

export { bytes, count, plainText } from '../schema/readable-text.ts';

const NARROWEST = 40;

/** Where there is no terminal, such as in a pipe, nothing is cut. */
export function terminalWidth({ isTTY, columns }: { isTTY?: boolean; columns?: number }): number {
  return isTTY === true && columns !== undefined ? Math.max(NARROWEST, columns) : Number.POSITIVE_INFINITY;
}

/** Somebody's text of several lines, with everything but line ends and tabs made harmless. */
export function plainLines(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, '·');
}

export function fitText(text: string, room: number): string {
  const characters = Array.from(text);
  return characters.length <= room ? text : `${characters.slice(0, Math.max(0, room - 1)).join('')}…`;
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

/** One line of somebody's text as lines of the terminal, each indented; nothing of it is cut. */
export function indentWrapped(text: string, indent: string, { width }: { width: number }): string {
  return wrapWords(plainText(text), width - indent.length)
    .map((line) => `${indent}${line}`)
    .join('\n');
}

export const timeOfDay = (): string => new Date().toTimeString().slice(0, 8);
