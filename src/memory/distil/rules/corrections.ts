/** What people found wrong with a result: a lesson about tasks of that kind; said of two kinds, a preference. */
import type { Rows } from '../../../schema/rows.ts';
import { taskRecordOf } from '../../task-record.ts';
import { evidenceIn, type Finding, joined, type Rule } from '../finding.ts';
import { heldOf, isHeld } from '../held.ts';
import { likenessOf } from '../likeness.ts';
import { ownSentences } from '../own-words.ts';
import { loosensGuards, namesAddress, statementOf } from '../statement.ts';
import type { Evidence } from '../../../schema/memory.ts';
import { idOf } from '../finding.ts';
import { topicOf } from '../topic.ts';

const MOST_CHARACTERS = 300;

/** Where the same was found wrong, and the lessons that came of it. */
type Seen = { titles: string[]; lessons: string[]; evidence: Evidence[] };

export const corrections: Rule = {
  name: 'corrections',
  find: ({ event }, book) => {
    if (event.type !== 'run.corrected' || event.run === null) return [];
    const record = taskRecordOf(book, event.run);
    const wrong = wrongIn(event.data.text, event.at);
    if (wrong === null || record === undefined) return [];
    // A correction of a correction is about the task that was first there.
    const title = plainTitle(firstOf(book, event.run));
    return [learned(book, wrong, title, evidenceIn(event), record.dir)];
  },
};

/** Statements in it are learned as such; what only names others' words or addresses is not. */
function wrongIn(text: string, at: string): string | null {
  const sentences = ownSentences(text).filter((sentence) => statementOf(sentence, at) === null);
  const safe = sentences.filter(
    (sentence) => !sentence.endsWith('?') && !loosensGuards(sentence) && !namesAddress(sentence),
  );
  let told = '';
  for (const sentence of safe) if (told.length + sentence.length < MOST_CHARACTERS) told = `${told} ${sentence}`.trim();
  return told.length < 3 ? null : told;
}

function firstOf(book: Rows, run: string): string {
  let record = taskRecordOf(book, run);
  for (let hops = 0; hops < 20 && record?.corrects != null; hops += 1) {
    const earlier = taskRecordOf(book, record.corrects);
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

function learned(book: Rows, wrong: string, title: string, evidence: Evidence, dir: string | null): Finding {
  const key = `facts/wrong/${likenessOf(wrong)}`;
  const seen = book.get<Seen>(key) ?? { titles: [], lessons: [], evidence: [] };
  const text = `In tasks like “${title}”: ${wrong}`;
  const titles = [...new Set([...seen.titles, title])].slice(-20);
  const all = joined(seen.evidence, [evidence]);
  book.put(key, {
    titles,
    lessons: [...new Set([...seen.lessons, idOf('lesson', text)])].slice(-20),
    evidence: all,
  } satisfies Seen);
  const namespace = topicOf({ text: wrong, dir });
  const common = { source: 'person', counted: key } as const;
  if (titles.length < 2) return { ...common, kind: 'lesson', text, namespace, evidence: [evidence] };
  const replaces = seen.lessons.filter((id) => isHeld(heldOf(book, id)));
  return {
    ...common,
    kind: 'preference',
    text: `In results of every kind: ${wrong}`,
    namespace,
    evidence: all,
    replaces,
  };
}
