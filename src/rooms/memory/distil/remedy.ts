/**
 * Owns: what to do next time, by what a person said was wrong. Pure.
 *
 * 1. Where the person says what they want, these are the words. Where they say what is too much, too little or missing, the
 *    remedy follows from that. Otherwise there is none, and a complaint alone is no lesson.
 * 2. What was wrong has no remedy but to look at it: that is worth saying once it was wrong in a second task.
 */

/** `isWeak`: worth saying only where it was needed again. */
type Remedy = { text: string; isWeak: boolean };

/** `criticism` is sentences of a person; what has no remedy is left out. */
export function remedyFor(criticism: string): Remedy | null {
  const sentences = criticism.match(/[^.!]+(?:[.!](?!\s|$)[^.!]+)*[.!]*/g) ?? [];
  const found = sentences.flatMap((sentence) => remedyOf(sentence.trim()) ?? []);
  const strong = found.filter(({ isWeak }) => !isWeak);
  const used = strong.length > 0 ? strong : found;
  return used.length === 0 ? null : { text: used.map(({ text }) => text).join(' '), isWeak: strong.length === 0 };
}

const BE = 'is|are|was|were|looks?|sounds?|seems?|reads?|feels?';
/** Thanks before the criticism: "Great, but the dates are missing." */
const BUT = /^.{0,60}?\b(?:but|however|except(?: that)?|only|though),? (?=\S)/i;
const TOO = new RegExp(String.raw`^(.{2,80}?) (?:${BE}) (?:\w+ )?too (?:many|much|few|little|([\p{L}-]+))[.!]*$`, 'iu');
const MISSING = [
  new RegExp(
    String.raw`^(.{2,80}?) (?:is|are|was|were) (?:still |all )?(?:missing|left out|not there|forgotten)[.!]*$`,
    'i',
  ),
  /^you (?:have )?(?:forgot(?:ten)?|left out|missed|did not (?:add|include|mention)|didn['’]t (?:add|include|mention)) (.{2,80}?)[.!]*$/i,
  /^there (?:is|are|was|were) no (.{2,80}?)[.!]*$/i,
];
const HAS_NO = /^(.{2,60}?) (?:has|have|had|contains?) no (.{2,60}?)[.!]*$/i;
const NOT_SO =
  /^(.{2,60}?) (is|are|was|were)(?: not|n['’]t) (\p{L}+(?:ed|ten|wn|de|nt|lt|rt|ut|al) .{2,60}?|in .{2,60}?)[.!]*$/iu;
const WRONG_IN = new RegExp(
  String.raw`^(.{2,60}?) (?:${BE}) (?:all |still |again )?in the wrong (\p{L}[\p{L} ]{1,40}?)[.!]*$`,
  'iu',
);
const WRONG = new RegExp(
  String.raw`^(.{2,60}?) (?:${BE}) (?:all |still |again )?(?:wrong|incorrect|false|not right|not correct|off)[.!]*$`,
  'iu',
);
/** The person says what they want, in one of four languages. */
const WANTS =
  /\b(?:should|must|needs? to|has to|have to|ought to|instead|rather|prefer|please|want(?:ed)?|would like|next time|soll(?:en|te|ten)?|muss|müssen|bitte|statt(?:dessen)?|lieber|doit|doivent|il faut|plutôt|au lieu|s'il vous plaît|debe[n]?|hay que|en vez|mejor|por favor)\b/iu;
const ORDERS =
  /^(?:use|write|put|add|include|keep|make|leave|remove|drop|sort|round|name|list|start|end|begin|check|convert|translate|shorten|format|give|show|say|call|mention|quote|avoid|sign|spell|separate|split|merge|group|count|do not|don['’]t|never|always|no more|not so|less|more)\b/i;

const OPPOSITES: Readonly<Record<string, string>> = {
  long: 'shorter',
  short: 'longer',
  big: 'smaller',
  large: 'smaller',
  small: 'larger',
  late: 'earlier',
  early: 'later',
  wordy: 'shorter',
  brief: 'longer',
  vague: 'more precise',
  dark: 'lighter',
  light: 'darker',
};

function remedyOf(whole: string): Remedy | null {
  const sentence = whole.replace(BUT, '');
  const strong = (text: string): Remedy => ({ text, isWeak: false });
  if (WANTS.test(sentence) || ORDERS.test(sentence)) return strong(asSentence(sentence));
  const [, what, how] = TOO.exec(sentence) ?? [];
  if (what !== undefined && how !== undefined)
    return strong(`Make ${inside(what)} ${OPPOSITES[how.toLowerCase()] ?? `less ${how}`}.`);
  const missing = MISSING.map((shape) => shape.exec(sentence)?.[1]).find((each) => each !== undefined);
  if (missing !== undefined) return strong(`Do not leave out ${inside(missing)}.`);
  const [, holder, lacks] = HAS_NO.exec(sentence) ?? [];
  if (holder !== undefined && lacks !== undefined)
    return strong(
      `Give ${inside(holder)} ${lacks.endsWith('s') ? lacks : `${/^[aeiou]/i.test(lacks) ? 'an' : 'a'} ${lacks}`}.`,
    );
  const [, subject = '', be = '', state] = NOT_SO.exec(sentence) ?? [];
  if (state !== undefined)
    return strong(asSentence(`${subject} ${/^(?:is|was)$/i.test(be) ? 'has' : 'have'} to be ${state}`));
  const [, of = '', kind] = WRONG_IN.exec(sentence) ?? [];
  const wrong = kind === undefined ? WRONG.exec(sentence)?.[1] : `the ${kind} of ${inside(of)}`;
  return wrong === undefined ? null : { text: `Check ${inside(wrong)}.`, isWeak: true };
}

/** As it stands within a sentence. */
const inside = (phrase: string): string =>
  phrase.replace(/^(?:The|A|An|Your|Its|Their|This|These|All|Some)\b/, (word) => word.toLowerCase());

function asSentence(text: string): string {
  const plain = text.trim().replace(/[.!]+$/, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}
