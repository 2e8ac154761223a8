/**
 * Owns: whether something the operator has stated applies to a task: instructions, preferences and facts of theirs.
 *
 * 1. What names a project or a person applies to tasks that name them, and to no others.
 * 2. An instruction about how to write, languages or units is general, and applies to every task.
 * 3. So does one about what the answer will contain: "When was …?" is answered with a date.
 * 4. Everything else applies by its subject. One word in common is enough: an instruction that is ignored costs more than
 *    the few tokens of one that was not needed. Without any sign it does not apply, so that it costs nothing.
 */
import { chooseTopic } from '../distil/fact-topic.ts';
import { extractTerms } from '../../../kit/text/terms.ts';
import { COMMON, topicWords } from '../../../kit/text/relevance.ts';

export type Applicability = 'by subject' | 'in general' | 'no';

/** `isInstruction`: it says how to work, and is not just a fact. */
type Stated = { text: string; isInstruction: boolean; similarity: number | null };

/** Instructions have few words: the share of them, and the similarity, that is enough. */
const SHARED = 0.15;
const SHARED_COMMON = 2;
const SIMILAR = 0.3;
const UNLIKE = 0.05;

export function createApplicabilityTest(query: string): (stated: Stated) => Applicability {
  const terms = new Set(extractTerms(query));
  const wanted = topicWords(query);
  const topic = chooseTopic({ text: query });
  const answered = new Set(ANSWERS.flatMap(({ asked, contains }) => (asked.test(query) ? extractTerms(contains) : [])));
  return ({ text, isInstruction, similarity }) => {
    const traits = traitsOf(text);
    if (traits.scope.length > 0) return traits.scope.some((name) => terms.has(name)) ? 'by subject' : 'no';
    const shared = traits.words.filter((word) => wanted.has(word)).length;
    if (similarity !== null && similarity >= SIMILAR) return 'by subject';
    if (
      shared >= 1 &&
      shared >= SHARED * Math.min(traits.words.length, wanted.size) &&
      !(similarity !== null && similarity < UNLIKE)
    )
      return 'by subject';
    if (!isInstruction) return 'no';
    if (traits.isGeneral || traits.terms.some((term) => answered.has(term))) return 'in general';
    if (traits.topic !== 'general' && traits.topic === topic) return 'by subject';
    return traits.common.filter((word) => terms.has(word)).length >= SHARED_COMMON ? 'by subject' : 'no';
  };
}

/** Whether a statement is limited to a project or a person (1). */
export const isLimited = (text: string): boolean => traitsOf(text).scope.length > 0;

type Traits = {
  scope: string[];
  terms: readonly string[];
  words: string[];
  common: string[];
  topic: string;
  isGeneral: boolean;
};

/** The same facts are tested for every prompt. */
const known = new Map<string, Traits>();
const MOST_KNOWN = 5000;

function traitsOf(text: string): Traits {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const words = [...topicWords(text)].filter((word) => !MODAL.has(word));
  const traits = {
    scope: scopeOf(text),
    terms: extractTerms(text),
    words,
    common: [...new Set(extractTerms(text))].filter((term) => COMMON.has(term) && !MODAL.has(term)),
    topic: chooseTopic({ text }),
    isGeneral: words.every((word) => GENERAL.has(word) || /^\d+$/.test(word)),
  };
  known.set(text, traits);
  return traits;
}

/** What the answer to a question contains (3). */
const ANSWERS: readonly { asked: RegExp; contains: string }[] = [
  {
    asked:
      /(?<![\p{L}])(?:when|what (?:day|date)|which (?:day|date)|how long ago|deadlines?|due|schedules?|wann|quand|cuándo)(?![\p{L}])/iu,
    contains: 'date dates day days Datum Daten fecha fechas',
  },
  {
    asked: /(?<![\p{L}])(?:how much|costs?|prices?|budget|pay|salary|wie ?viel|combien|cuánto)(?![\p{L}])/iu,
    contains: 'price prices amount amounts currency currencies money number numbers cost costs Betrag prix precio',
  },
  {
    asked: /(?<![\p{L}])(?:how many|percentage|average|wie viele|cuántos)(?![\p{L}])/iu,
    contains: 'number numbers percentage decimal',
  },
  {
    asked: /(?<![\p{L}])(?:how far|how (?:tall|long|big|heavy|hot|cold)|distance|weight)(?![\p{L}])/iu,
    contains: 'unit units measurement measurements distance weight temperature',
  },
  {
    asked: /(?<![\p{L}])(?:what time|o['’]clock|at what hour|wie spät)(?![\p{L}])/iu,
    contains: 'time times hour clock timezone',
  },
  {
    asked: /(?<![\p{L}])(?:compare|versus|vs|difference between|pros and cons)(?![\p{L}])/iu,
    contains: 'table tables comparison comparisons',
  },
  {
    asked: /(?<![\p{L}])(?:sources?|studies|research|evidence)(?![\p{L}])/iu,
    contains: 'source sources link links citation citations',
  },
];

const termsOf = (words: string): Set<string> => new Set(extractTerms(words));

/** Words of every instruction. */
const MODAL = termsOf(`always never prefer please ever every instead rather immer nie niemals bitte bevorzuge
  verwende nutze benutze nimm toujours jamais préfère utilise siempre nunca prefiero usa in on auf und der die das den
  dem ein eine einen für zu von ist sind nicht kein keine ohne le la les de du des en un une et pour dans el los las y
  para con por`);

/** Words about how something is written or done, whatever it is about. */
const GENERAL = termsOf(`english german french spanish italian dutch portuguese polish british american deutsch englisch
  französisch italienisch spanisch français anglais allemand espagnol español inglés alemán antworte schreibe réponds écris
  responde escribe language tone style formal informal polite friendly concise brief short shorter long longer plain
  simple detailed sentence sentences paragraph paragraphs bullet bullets point points emoji emojis emoticon heading headings
  markdown spelling grammar voice jargon word words wording unit units metric imperial celsius fahrenheit kelvin temperature
  kilometre kilometer mile miles distance euro euros eur usd dollar currency iso utc timezone clock hour hours 24-hour
  comma decimal separator separators rounding round delete remove overwrite rename move quote quotes comment comments
  reply replies answers reports summary summaries summarise explain explanation character characters tab tabs spaces
  greeting salutation sign first person gender neutral bold italic upper lower case uppercase lowercase ascii utf`);

/** The terms of the project or the person that a statement is limited to. */
function scopeOf(text: string): string[] {
  const names = SCOPES.flatMap((pattern) => Array.from(text.matchAll(pattern), (found) => found[1] ?? ''));
  return names.filter((name) => !NO_NAMES.test(name)).flatMap(extractTerms);
}

const SCOPES: readonly RegExp[] = [
  /\b([\p{L}\p{N}][\p{L}\p{N}._-]+) (?:project|repository|repo)\b/gu,
  /\b(\p{Lu}[\p{L}\p{N}._-]+) (?:account|client|customer|team|app|site|website|shop|course|department)\b/gu,
  /\b(?:project|repository|repo|client|customer|team) (\p{Lu}[\p{L}\p{N}._-]+)/gu,
  /^(\p{Lu}\p{L}+) (?:prefers|wants|likes|dislikes|hates|needs|would like|always|never)\b/gu,
  /\b(?:my|our) (sister|brother|mother|father|wife|husband|partner|son|daughter|boss|colleague|neighbou?r|friend|flatmate) (?:prefers|wants|likes|dislikes|hates|needs|would like|always|never)\b/giu,
  /\bfor (\p{Lu}\p{Ll}[\p{L}\p{N}._-]*)(?=[.,;!]|$)/gu,
];

/** Words before "project" that name none, and capitalised words that are no names of people. */
const NO_NAMES =
  /^(?:a|an|the|this|that|each|every|any|all|new|old|my|our|your|same|whole|current|personal|private|work|side|test|python|node|typescript|javascript|rust|java|go|web|git|github|open|source|it|he|she|we|you|they|people|everybody|everyone|nobody|someone|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|january|february|march|april|may|june|july|august|september|october|november|december)$/i;
