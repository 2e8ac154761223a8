/**
 * Owns: recognising a final answer that only reports progress, or that breaks off. Pure.
 *
 * Words of progress are known in English only. That an answer ends in the middle of a list or with an open bracket is
 * seen in any language.
 */
import { toOneLine } from '../../../core/schema/one-line.ts';

const PROGRESS: readonly RegExp[] = [
  /(?:^|[.;,:!–—-]\s*)(?:I(?:['’]m| am)? |it is |the work is |this is )?(?:about |now |only |currently |still )*(?:half-?way|half done|in progress|under way|partly done|partially done|continuing|carrying on|working on it|still working|to be continued)\b/i,
  /\b(?:more to (?:follow|come)|not (?:yet )?(?:finished|complete|completed) yet|stay tuned)\b/i,
];

const WORK =
  'continue|proceed|start|begin|finish|complete|go on|keep|work|read|write|create|check|look|process|analy[sz]e|do|add|move on|report back|update|handle|verify|fix';
/** What is still to come, when it stands at the end of the answer: in the middle it may be a text that was asked for. */
const AHEAD: readonly RegExp[] = [
  new RegExp(
    String.raw`\bI(?:['’]ll| will| am going to|['’]m going to| plan to| intend to| still (?:have|need) to| need to) (?:now |next |then |first |also )*(?:${WORK})\b`,
    'i',
  ),
  new RegExp(String.raw`\blet me (?:now |next |first |also )*(?:${WORK})\b`, 'i'),
  /\b(?:the )?(?:rest|remaining (?:steps?|files?|items?|work|parts?)) (?:will|is still|are still|remains?|follows?|to be done)\b/i,
];

const FUNCTION_WORD = /\b(?:and|or|the|a|an|of|to|in|on|with|for|that|which|is|are|was|from|by|as)$/i;

/** Why the answer shows that the work is not finished; null when it does not. */
export function unfinishedReason(answer: string): string | null {
  const text = answer.trim();
  const shown = toOneLine(text, 200);
  const own = withoutQuotations(text);
  const last = own.split(/\n+|(?<=[.!?])\s+/).findLast((sentence) => sentence.trim() !== '') ?? '';
  if (PROGRESS.some((shape) => shape.test(own)) || AHEAD.some((shape) => shape.test(last)))
    return `unfinished: the answer only reports progress: "${shown}"`;
  if (text.length > 20 && (/(?:…|\.\.\.|[,;([{–—-])$/.test(text) || FUNCTION_WORD.test(text)))
    return `unfinished: the answer breaks off: "…${toOneLine(text.slice(-120), 120)}"`;
  return null;
}

const withoutQuotations = (text: string): string =>
  text.replaceAll(/^>.*$/gm, ' ').replaceAll(/"[^"\n]*"|“[^”\n]*”|`[^`\n]*`/g, ' ');
