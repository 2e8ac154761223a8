/** A correction becomes a lesson for similar tasks; the same correction in two kinds of tasks becomes a preference. */
import type { Rows } from '../../../schema/rows.ts';
import { taskRecordOf } from '../../task-record.ts';
import { evidenceOfEvent, type Finding, mergeEvidence, type Rule } from '../fact-finding.ts';
import { findFact, isValid } from '../fact-rows.ts';
import { similarityKey } from '../similarity-key.ts';
import { ownSentences } from '../own-sentences.ts';
import { loosensGuards, namesAddress, parseStatement } from '../parse-statement.ts';
import type { Evidence } from '../../../schema/memory.ts';
import { factId } from '../fact-finding.ts';
import { chooseTopic } from '../fact-topic.ts';

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
  const text = `In tasks like “${title}”: ${wrong}`;
  const titles = [...new Set([...seen.titles, title])].slice(-20);
  const all = mergeEvidence(seen.evidence, [evidence]);
  rows.put(key, {
    titles,
    lessons: [...new Set([...seen.lessons, factId('lesson', text)])].slice(-20),
    evidence: all,
  } satisfies Seen);
  const namespace = chooseTopic({ text: wrong, dir });
  const common = { source: 'person', counted: key } as const;
  if (titles.length < 2) return { ...common, kind: 'lesson', text, namespace, evidence: [evidence] };
  const replaces = seen.lessons.filter((id) => isValid(findFact(rows, id)));
  return {
    ...common,
    kind: 'preference',
    text: `In results of every kind: ${wrong}`,
    namespace,
    evidence: all,
    replaces,
  };
}
