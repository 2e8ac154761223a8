/** The forms in which people say what is to be remembered: English, and the same in German. */
import type { Kind } from './finding.ts';

export type Form = {
  pattern: RegExp;
  /** `said`: what kind it is shows in what is said behind. */
  kind: Extract<Kind, 'standing' | 'preference'> | 'said';
  /** How it is told; $1, $2 stand for what the pattern found. */
  told: string;
};

/** Words before a statement that add nothing to it. */
export const LEAD =
  /^(?:(?:please|also|and|but|so|ok|okay|hey|hi|hello|oka|btw|by the way|important|bitte|und|auch|aber|also|hallo|wichtig)\b[\s,:!]+|[*_]+)+/i;

export const FORMS: readonly Form[] = [
  form(
    /^(?:from now on|from today on|from today|going forward|in (?:the )?future|henceforth)\b[\s,:]*(.+)$/i,
    'standing',
    '$1',
  ),
  form(/^(?:do not|don['’]t) ever (.+)$/i, 'standing', 'Never $1'),
  form(/^(always|never) (.+)$/i, 'standing', '$1 $2'),
  form(
    /^(?:i|we)(?: would|['’]d)? (?:strongly |generally |usually |much |also |really )?prefer (.+)$/i,
    'preference',
    'Prefer $1',
  ),
  form(/^(?:my|our) preference is (?:to )?(.+)$/i, 'preference', 'Prefer $1'),
  form(/^use (.+? (?:for|instead of|rather than) .+)$/i, 'preference', 'Use $1'),
  form(/^(?:remember|keep in mind|bear in mind|note|take note)(?:,? that|:) (.+)$/i, 'said', '$1'),
  form(/^remember to (always .+|never .+)$/i, 'said', '$1'),

  form(/^(?:ab jetzt|ab sofort|von nun an|in zukunft|künftig)\b[\s,:]*(.+)$/i, 'standing', '$1'),
  form(/^(immer|niemals|nie) (.+)$/i, 'standing', '$1 $2'),
  form(
    /^((?:verwende|nutze|benutze|nimm|schreibe?|lege?|speichere?|sende|antworte) (?:.+? )?(?:immer|niemals|nie) .+)$/i,
    'standing',
    '$1',
  ),
  form(/^(?:ich bevorzuge|wir bevorzugen) (.+)$/i, 'preference', 'Bevorzuge $1'),
  form(/^((?:verwende|nutze|benutze|nimm) .+? (?:für|statt|anstelle von) .+)$/i, 'preference', '$1'),
  form(/^(?:merke? dir|denk daran|beachte)(?:,? dass|:) (.+)$/i, 'said', '$1'),
];

/** These need a "please": without one they are steps of the task at hand. */
export const NEEDS_PLEASE = /^(?:use|verwende|nutze|benutze|nimm)\b(?!.*\b(?:immer|niemals|nie)\b)/i;

function form(pattern: RegExp, kind: Form['kind'], told: string): Form {
  return { pattern, kind, told };
}
