/** Somebody else's text on a terminal: one line of it, cut or wrapped to the width. */
import { plainText } from '../../core/schema/readable-text.ts';
import { wrapWords } from './wrap-words.ts';

export { bytes, count, plainText } from '../../core/schema/readable-text.ts';

/** Somebody's text of several lines, with everything but line ends and tabs made harmless. */
export function plainLines(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, '·');
}

export function fitText(text: string, room: number): string {
  const characters = Array.from(text);
  return characters.length <= room ? text : `${characters.slice(0, Math.max(0, room - 1)).join('')}…`;
}

/** One line of somebody's text as lines of the terminal, each indented; nothing of it is cut. */
export function indentWrapped(text: string, indent: string, { width }: { width: number }): string {
  return wrapWords(plainText(text), width - indent.length)
    .map((line) => `${indent}${line}`)
    .join('\n');
}

export const timeOfDay = (): string => new Date().toTimeString().slice(0, 8);
