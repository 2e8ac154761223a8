/** A correction becomes a lesson for similar tasks; the same correction in several kinds of tasks becomes a preference. */
import type { Rows } from '../../../../core/schema/rows.ts';
import { taskRecordOf } from '../../../../kit/learning/task-record.ts';
import { evidenceOfEvent, type Finding, mergeEvidence, type Rule } from '../fact-finding.ts';
import { findFact, isValid } from '../fact-rows.ts';
import { similarityKey } from '../similarity-key.ts';
import { ownSentences } from '../own-sentences.ts';
import { loosensGuards, namesAddress, parseStatement } from '../parse-statement.ts';
import type { Evidence } from '../../../../core/schema/memory.ts';
import { factId } from '../fact-finding.ts';
import { chooseTopic } from '../fact-topic.ts';
import { extractTerms } from '../../../../kit/text/terms.ts';

const MAX_CHARACTERS = 300;

/** Where the same criticism came up, and the lessons learned from it. */
type Seen = { titles: string[]; lessons: string[]; evidence: Evidence[] };

export const corrections: Rule = {
  name: 'corrections',
  find: ({ event }, rows) => {
    if (event.type !== 'run.corrected' || event.run === null) return [];
    const record = taskRecordOf(rows, event.run);
    const wrong = criticismIn(event.data.text, event.at);
    if (wrong === null || record === undefined) return [];
    // A correction of a correction concerns the original task.
    const title = plainTitle(firstTitle(rows, event.run));
    return [learnCorrection(rows, wrong, title, evidenceOfEvent(event), record.dir)];
  },
};

/** A sentence that only thanks or praises; what comes behind "but" is criticism. */
const PRAISE =
  /^(?:many )?(?:thanks?|thank you|great|perfect|nice|lovely|good (?:job|work)|well done|danke|super|perfekt|prima|merci|parfait|gracias|perfecto)\b(?!.*\b(?:but|however|except|only|though|aber|nur|jedoch|mais|pero)\b).{0,40}$/i;

/** Leaves out statements, which are learned separately, questions, praise, and what names addresses. */
function criticismIn(text: string, at: string): string | null {
  const sentences = ownSentences(text).filter((sentence) => parseStatement(sentence, at) === null);
  const safe = sentences.filter(
    (sentence) =>
      !sentence.endsWith('?') && !PRAISE.test(sentence) && !loosensGuards(sentence) && !namesAddress(sentence),
  );
  let criticism = '';
  for (const sentence of safe)
    if (criticism.length + sentence.length < MAX_CHARACTERS) criticism = `${criticism} ${sentence}`.trim();
  return criticism.length < 3 ? null : criticism;
}

function firstTitle(rows: Rows, run: string): string {
  let record = taskRecordOf(rows, run);
  for (let hops = 0; hops < 20 && record?.corrects != null; hops += 1) {
    const earlier = taskRecordOf(rows, record.corrects);
    if (earlier === undefined) break;
    record = earlier;
  }
  return record?.title ?? run;
}

const plainTitle = (title: string): string =>
  title
    .replaceAll(/["“”\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, 80)
    .toLowerCase()
    .replaceAll(/\d+/g, '#');

function learnCorrection(rows: Rows, wrong: string, title: string, evidence: Evidence, dir: string | null): Finding {
  const key = `facts/wrong/${similarityKey(wrong)}`;
  const seen = rows.get<Seen>(key) ?? { titles: [], lessons: [], evidence: [] };
  const titles = [...new Set([...seen.titles, title])].slice(-20);
  const all = mergeEvidence(seen.evidence, [evidence]);
  const { kind, text } = describeCorrection(wrong, differentKinds(titles));
  const lessons = [...new Set([...seen.lessons, factId(kind, text)])].slice(-20);
  rows.put(key, { titles, lessons, evidence: all } satisfies Seen);
  return {
    kind,
    text,
    namespace: chooseTopic({ text: wrong, dir }),
    evidence: all,
    replaces: seen.lessons.filter((id) => id !== factId(kind, text) && isValid(findFact(rows, id))),
    source: 'person',
    counted: key,
  };
}

/** What is said about three kinds of tasks is about all of them; what is said about two is about these. */
function describeCorrection(wrong: string, kinds: readonly string[]): Pick<Finding, 'kind' | 'text'> {
  if (kinds.length >= EVERY_KIND) return { kind: 'preference', text: `In results of every kind: ${wrong}` };
  const text = `In tasks like ${kinds.map((title) => `“${title}”`).join(' and ')}: ${wrong}`;
  return { kind: kinds.length === 1 ? 'lesson' : 'preference', text };
}

const EVERY_KIND = 3;
/** Titles that share this much of the shorter one are of one kind: "invoice of Ada" and "invoice of Ben". */
const SAME_KIND = 0.5;

/** The first title of each kind; a title without words is of no kind of its own. */
function differentKinds(titles: readonly string[]): string[] {
  const kinds: { title: string; words: Set<string> }[] = [];
  for (const title of titles) {
    const words = new Set(extractTerms(title));
    const isKnown = kinds.some((kind) => {
      const [fewer, more] = kind.words.size < words.size ? [kind.words, words] : [words, kind.words];
      return [...fewer].filter((word) => more.has(word)).length >= SAME_KIND * fewer.size;
    });
    if (!isKnown) kinds.push({ title, words });
  }
  return kinds.map(({ title }) => title);
}
