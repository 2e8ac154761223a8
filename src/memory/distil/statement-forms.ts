/** The phrasings in which people ask to have something remembered, in English and German. */
import type { Kind } from './fact-finding.ts';

export type Form = {
  pattern: RegExp;
  /** `said` means that the kind follows from the rest of the sentence. */
  kind: Extract<Kind, 'standing' | 'preference'> | 'said';
  /** The wording of the fact; $1 and $2 are the groups of the pattern. */
  template: string;
};

/** Words before a statement that add no meaning. */
export const LEAD =
  /^(?:(?:please|also|and|but|so|ok|okay|hey|hi|hello|oka|btw|by the way|important|bitte|und|auch|aber|also|hallo|wichtig)\b[\s,:!]+|[*_]+)+/i;

export const FORMS: readonly Form[] = [
  createForm(
    /^(?:from now on|from today on|from today|going forward|in (?:the )?future|henceforth)\b[\s,:]*(.+)$/i,
    'standing',
    '$1',
  ),
  createForm(/^(?:do not|don['’]t) ever (.+)$/i, 'standing', 'Never $1'),
  createForm(/^(always|never) (.+)$/i, 'standing', '$1 $2'),
  createForm(
    /^(?:i|we)(?: would|['’]d)? (?:strongly |generally |usually |much |also |really )?prefer (.+)$/i,
    'preference',
    'Prefer $1',
  ),
  createForm(/^(?:my|our) preference is (?:to )?(.+)$/i, 'preference', 'Prefer $1'),
  createForm(/^use (.+? (?:for|instead of|rather than) .+)$/i, 'preference', 'Use $1'),
  createForm(/^(?:remember|keep in mind|bear in mind|note|take note)(?:,? that|:) (.+)$/i, 'said', '$1'),
  createForm(/^remember to (always .+|never .+)$/i, 'said', '$1'),

  createForm(/^(?:ab jetzt|ab sofort|von nun an|in zukunft|künftig)\b[\s,:]*(.+)$/i, 'standing', '$1'),
  createForm(/^(immer|niemals|nie) (.+)$/i, 'standing', '$1 $2'),
  createForm(
    /^((?:verwende|nutze|benutze|nimm|schreibe?|lege?|speichere?|sende|antworte) (?:.+? )?(?:immer|niemals|nie) .+)$/i,
    'standing',
    '$1',
  ),
  createForm(/^(?:ich bevorzuge|wir bevorzugen) (.+)$/i, 'preference', 'Bevorzuge $1'),
  createForm(/^((?:verwende|nutze|benutze|nimm) .+? (?:für|statt|anstelle von) .+)$/i, 'preference', '$1'),
  createForm(/^(?:merke? dir|denk daran|beachte)(?:,? dass|:) (.+)$/i, 'said', '$1'),
];

/** These need a "please"; without it they are steps of the current task. */
export const NEEDS_PLEASE = /^(?:use|verwende|nutze|benutze|nimm)\b(?!.*\b(?:immer|niemals|nie)\b)/i;

function createForm(pattern: RegExp, kind: Form['kind'], template: string): Form {
  return { pattern, kind, template };
}
