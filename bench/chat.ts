/** Conversations: how soon words reach the terminal, and what reading a long conversation costs. */
import type { Figure } from './figure.ts';
import { measureFirstWords } from './chat/first-words.ts';
import { measurePrompt } from './chat/reply-prompt.ts';
import { measureViewSince } from './chat/view-since.ts';

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  return [...(await measureFirstWords(note)), ...(await measureViewSince(note)), ...(await measurePrompt(note))];
}
