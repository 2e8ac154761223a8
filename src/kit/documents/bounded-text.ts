/** Owns: collecting text up to the limit, without characters that no reader can see. */
import { TEXT_LIMIT } from './document-contract.ts';

export class BoundedText {
  readonly #parts: string[] = [];
  #length = 0;
  isCut = false;

  /** False when the text is full, so that a reader can stop. */
  add(text: string): boolean {
    const clean = text.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t\f]|[\ufffe\uffff]|\p{Surrogate}/gu, '');
    const room = TEXT_LIMIT - this.#length;
    if (clean.length > room) this.isCut = true;
    this.#parts.push(clean.slice(0, room));
    this.#length += Math.min(clean.length, room);
    return !this.isCut;
  }

  result(): { text: string; cut?: true } {
    const text = this.#parts
      .join('')
      .replaceAll(/[ \t]+\n/g, '\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim();
    return this.isCut ? { text, cut: true } : { text };
  }
}
