/**
 * A correction becomes a lesson for similar tasks, if it says or implies what to do next time; the same correction in several
 * kinds of tasks becomes a preference.
 */
import type { Rows } from '../../../../core/schema/rows.ts';
import { taskRecordOf } from '../../../../kit/learning/task-record.ts';
import { evidenceOfEvent, type Finding, mergeEvidence, type Rule } from '../fact-finding.ts';
import { findFact, isValid } from '../fact-rows.ts';
import { similarityKey } from '../similarity-key.ts';
import { ownSentences } from '../own-sentences.ts';
import { remedyFor } from '../remedy.ts';
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
    const title = titleInWords(firstTitle(rows, event.run));
    return learnCorrection(rows, wrong, title, evidenceOfEvent(event), record.dir);
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

/** As a person would say it: a title that is the name of a file becomes words. */
function titleInWords(title: string): string {
  const words = title.replaceAll(/["“”\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return (words.includes(' ') ? words : words.replaceAll(/[-_]+/g, ' ')).trim().slice(0, 80);
}

/** Titles that differ in case and numbers only are one. */
const plainTitle = (title: string): string => title.toLowerCase().replaceAll(/\d+/g, '#');

function learnCorrection(rows: Rows, wrong: string, title: string, evidence: Evidence, dir: string | null): Finding[] {
  const key = `facts/wrong/${similarityKey(wrong)}`;
  const seen = rows.get<Seen>(key) ?? { titles: [], lessons: [], evidence: [] };
  const titles = [...new Map([title, ...seen.titles.toReversed()].map((each) => [plainTitle(each), each])).values()]
    .toReversed()
    .slice(-20);
  const all = mergeEvidence(seen.evidence, [evidence]);
  const lesson = describeCorrection(wrong, differentKinds(titles), all.length);
  const ids = lesson === null ? [] : [factId(lesson.kind, lesson.text)];
  const lessons = [...new Set([...seen.lessons, ...ids])].slice(-20);
  rows.put(key, { titles, lessons, evidence: all } satisfies Seen);
  if (lesson === null) return [];
  return [
    {
      ...lesson,
      namespace: chooseTopic({ text: wrong, dir }),
      evidence: all,
      replaces: seen.lessons.filter((id) => !ids.includes(id) && isValid(findFact(rows, id))),
      source: 'person',
      counted: key,
    },
  ];
}

/**
 * What is said about three kinds of tasks is about all of them; what is said about two is about these. Null where nothing
 * follows from it for the next time.
 */
function describeCorrection(
  wrong: string,
  kinds: readonly string[],
  times: number,
): Pick<Finding, 'kind' | 'text'> | null {
  const remedy = remedyFor(wrong);
  if (remedy === null || (remedy.isWeak && times < ENOUGH_TIMES)) return null;
  const { text } = remedy;
  if (kinds.length >= EVERY_KIND) return { kind: 'preference', text: `In every result: ${text}` };
  const like = kinds.map((title) => `“${title}”`).join(' and ');
  return { kind: kinds.length === 1 ? 'lesson' : 'preference', text: `In tasks like ${like}: ${text}` };
}

/** So often something has to be wrong for it to be looked at each time. */
const ENOUGH_TIMES = 2;
const EVERY_KIND = 3;
/** Titles that share this much of the shorter one are of one kind: "invoice of Ada" and "invoice of Ben". */
const SAME_KIND = 0.5;

/** The first title of each kind; a title without words is of no kind of its own. */
function differentKinds(titles: readonly string[]): string[] {
  const kinds: { title: string; words: Set<string> }[] = [];
  for (const title of titles) {
    const words = new Set(extractTerms(plainTitle(title)));
    const isKnown = kinds.some((kind) => {
      const [fewer, more] = kind.words.size < words.size ? [kind.words, words] : [words, kind.words];
      return [...fewer].filter((word) => more.has(word)).length >= SAME_KIND * fewer.size;
    });
    if (!isKnown) kinds.push({ title, words });
  }
  return kinds.map(({ title }) => title);
}
