/**
 * Somebody else's text for a terminal: of a model, a tool or a message. Line ends and tabs stay; sequences that steer the
 * terminal are removed, and every other character that is not shown or that hides others becomes a dot.
 */
import { stripVTControlCharacters } from 'node:util';

const TAB = '    ';

export function terminalText(text: string): string {
  const lines = stripVTControlCharacters(text).replaceAll('\r\n', '\n').replaceAll('\t', TAB);
  // A joiner between two pictures makes them one picture; anywhere else it hides something.
  return lines.replaceAll(HIDDEN, (_found, joiner: string | undefined) => joiner ?? '·');
}

const HIDDEN = /((?<=\p{Extended_Pictographic}\uFE0F?)\u200D(?=\p{Extended_Pictographic}))|[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;
