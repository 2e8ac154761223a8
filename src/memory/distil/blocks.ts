/**
 * Owns: which paragraphs and items of a markdown text may be a person's own words.
 *
 * 1. Fences, code, quotations, tables, markup, mails and transcripts are what a person shows, not what a person says.
 * 2. So is what a line announces that ends in a colon, unless it announces the person's own rules.
 */

export type Block = { kind: 'heading' } | { kind: 'own'; text: string };

/** Until when what comes is not a person's own, and what holds then. */
type Hidden =
  | { kind: 'no' }
  | { kind: 'fence'; mark: string; back: Hidden }
  | { kind: 'comment'; back: Hidden }
  | { kind: 'tag'; name: string; back: Hidden }
  /** The paragraph or list that comes next. */
  | { kind: 'next' }
  | { kind: 'block' }
  | { kind: 'section' }
  | { kind: 'rest' };

const NO: Hidden = { kind: 'no' };
const HEADING = /^ {0,3}#{1,6}\s/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const FENCE = /^\s*(?:[-*+]\s+)?(`{3,}|~{3,})/;
const NOT_OWN_LINE =
  /^(?: {4}|\t| {0,3}[>|]|\s*\S+\s*\|\s|\s*[{[\]}]|\s*(?:user|assistant|system|human|ai|bot|tool)\s*:)/i;
const FORWARDED =
  /^[-_*\s]{3,}(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete)|^begin forwarded/i;
const MAIL_HEAD = /^\s*(?:from|to|cc|subject|date|sent|von|an|betreff|datum|gesendet)\s*:\s*\S/i;

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let hidden: Hidden = NO;
  const end = (): void => {
    const text = lines.join('\n').trim();
    lines = [];
    if (text === '') return;
    blocks.push({ kind: 'own', text });
    hidden = introduced(text);
  };
  const all = markdown
    .replaceAll(/\r\n?/g, '\n')
    .replace(/^\uFEFF?---\s*\n(?:[^]*?\n---\s*(?:\n|$)|[^]*)/, '')
    .split('\n');
  for (const [at, line] of all.entries()) {
    const opened = opens(line, all[at + 1], hidden);
    const isPart = hidden.kind === 'no' && opened.kind === 'no' && !HEADING.test(line) && line.trim() !== '';
    if (!isPart || ITEM.test(line)) end();
    hidden = behind(hidden, line, all[at + 1]);
    if (hidden.kind !== 'no') continue;
    if (HEADING.test(line)) blocks.push({ kind: 'heading' });
    else if (isPart) lines.push(line.replace(ITEM, ''));
    if (line.trimEnd().endsWith(':')) end();
  }
  end();
  return blocks;
}

function opens(line: string, next: string | undefined, back: Hidden): Hidden {
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return { kind: 'fence', mark: fence, back };
  if (FORWARDED.test(line)) return { kind: 'rest' };
  if (MAIL_HEAD.test(line) && next !== undefined && MAIL_HEAD.test(next)) return { kind: 'rest' };
  if (/^\s*<!--/.test(line)) return line.includes('-->') ? { kind: 'block' } : { kind: 'comment', back };
  const tag = /^\s*<([A-Za-z][\w-]*)/.exec(line)?.[1];
  if (tag !== undefined) return line.includes(`</${tag}`) ? { kind: 'block' } : { kind: 'tag', name: tag, back };
  return NOT_OWN_LINE.test(line) ? { kind: 'block' } : NO;
}

/** What is hidden from a line on, itself included when it is not NO. */
function behind(hidden: Hidden, line: string, next: string | undefined): Hidden {
  const opened = opens(line, next, hidden);
  const isHeading = HEADING.test(line);
  switch (hidden.kind) {
    case 'rest':
      return hidden;
    case 'fence':
      return /^\s*(?:`+|~+)\s*$/.test(line) && line.trim().startsWith(hidden.mark) ? hidden.back : hidden;
    case 'comment':
      return line.includes('-->') ? hidden.back : hidden;
    case 'tag':
      return line.includes(`</${hidden.name}`) ? hidden.back : hidden;
    case 'section':
      if (opened.kind !== 'no' && opened.kind !== 'block') return opened;
      return isHeading && !SHOWS.test(line) ? NO : hidden;
    case 'next':
      if (line.trim() === '') return hidden;
      return opened.kind !== 'no' ? opened : isHeading ? shownUnder(line) : { kind: 'block' };
    case 'block':
      if (opened.kind !== 'no') return opened;
      return isHeading ? shownUnder(line) : line.trim() === '' ? NO : hidden;
    case 'no':
      return opened.kind !== 'no' ? opened : isHeading ? shownUnder(line) : NO;
  }
}

const shownUnder = (heading: string): Hidden => (SHOWS.test(heading) ? { kind: 'section' } : NO);

/** A person shows what somebody else said. */
export const REPORTS =
  /\b(?:says?|said|saying|reads|states?|stated|wrote|writes|contains?|told (?:me|us)|according to|quot(?:e|ed|es|ing)|past(?:ed|ing)|copied|forwarded|replied|responded|answered|here(?:'s|’s| is| are)|below (?:is|are)|as follows|(?:the|this) following|sagte?|schrieb|schreibt|lautet|steht|folgende[nrsm]?|laut|zitat)\b/i;
/** A person gives something to work on. */
const HANDLES =
  /\b(?:summari[sz]e|translate|proof-?read|reply|answer|review|rewrite|rephrase|convert|analy[sz]e|classify|extract|read|check|parse|explain|correct|process|übersetze|fasse|antworte|prüfe|korrigiere|lies)\b/i;
const SHOWS =
  /\b(?:e-?mail|mail|message|page|web ?site|article|log|output|transcript|chat|letter|text|content|response|result|excerpt|source|attachment|document|readme|post|comment|ticket|issue|input|example|sample|quote|nachricht|seite|protokoll|ausgabe|inhalt|anhang|beispiel|quelle)s?\b/i;
/** What people announce their own words with. */
const OWN =
  /\b(?:rules?|preferences?|remember|conventions?|style|important|please|bitte|from now on|reminders?|my notes|in general|requirements?|merke dir|regeln|wichtig)\b[^:]*:$/i;

/** A line that ends in a colon introduces something; mostly something of others. */
function introduced(text: string): Hidden {
  if (!text.trimEnd().endsWith(':')) return NO;
  const last = text.slice(-300);
  if (REPORTS.test(last) || SHOWS.test(last) || HANDLES.test(last)) return { kind: 'section' };
  return OWN.test(last) ? NO : { kind: 'next' };
}
