/** What people explicitly ask to be remembered: in tasks, in answers, and in what they said elsewhere. */
import { OkaError } from '../../../schema/errors.ts';
import type { Event } from '../../../schema/event.ts';
import { readFrontMatter } from '../../../schema/front-matter.ts';
import { type Evidence, STANDING } from '../../../schema/memory.ts';
import type { Rows } from '../../../schema/rows.ts';
import type { Read } from '../../../schema/view.ts';
import { taskRecordOf, rootOf } from '../../task-record.ts';
import { byType, type Of } from '../by-type.ts';
import { evidenceIn, type Finding, joined, type Rule, type Source, witnessesOf } from '../finding.ts';
import { likenessOf } from '../likeness.ts';
import { type Statement, statementsIn } from '../statement.ts';
import { type About, topicOf } from '../topic.ts';

export const statements: Rule = {
  name: 'statements',
  wants: (event) => (event.type === 'task.received' ? [event.data.body.sha256] : []),
  find: (read, book) => {
    const said = saidIn(read.event, read.text, book);
    if (said === null) return [];
    const evidence = evidenceIn(read.event);
    const found = statementsIn(said.text, said.at);
    if (found.length === 0 || isRepeated(read.event, book)) return [];
    return found.flatMap((each) => findingOf(each, said, evidence, book));
  },
};

type Said = { text: string; at: string; source: Source } & Omit<About, 'text'>;

const saidIn = byType<[Read['text'], Rows], Said | null>({
  'task.received': (event, text) => task(text(event.data.body.sha256) ?? '', event.at),
  'wait.opened': ({ data }, _, book) => {
    const isAsked = data.for.kind === 'question' || data.for.kind === 'approval';
    if (isAsked) book.put(`facts/asked/${data.wait}`, true);
    return null;
  },
  'wait.closed': (event, _, book) => answer(event, book),
  'episode.imported': ({ data: { episode } }) =>
    isThePerson(episode.who) ? { text: episode.text, at: episode.at, source: 'import' } : null,
});

/** A task that comes again and again in the same words, by a timer say, says something once. */
function isRepeated(event: Event, book: Rows): boolean {
  if (event.type !== 'task.received') return false;
  const key = `facts/body/${event.data.body.sha256}`;
  const wasSaid = book.get(key) !== undefined;
  if (!wasSaid) book.put(key, true);
  return wasSaid;
}

/** What lies beside a task in its folder is never read. */
function task(file: string, at: string): Said | null {
  try {
    const { data, body } = readFrontMatter(file, 'the task');
    const tags = Array.isArray(data['tags']) ? data['tags'].filter((tag) => typeof tag === 'string') : [];
    return { text: body, at, source: 'task', tags, dir: typeof data['dir'] === 'string' ? data['dir'] : null };
  } catch (error) {
    if (error instanceof OkaError) return null; // what cannot be read says nothing
    throw error;
  }
}

function answer(event: Of<'wait.closed'>, book: Rows): Said | null {
  const key = `facts/asked/${event.data.wait}`;
  const wasAsked = book.get(key) !== undefined;
  book.put(key, null);
  if (!wasAsked || !isByPerson(event.data.answer)) return null;
  const record = event.run === null ? undefined : taskRecordOf(book, rootOf(book, event.run));
  return { text: event.data.answer.text ?? '', at: event.at, source: 'person', dir: record?.dir ?? null };
}

/** Nobody else gives these verdicts but the clock and oka itself. */
export const isByPerson = ({ verdict, by }: { verdict: string; by?: string | undefined }): boolean =>
  ['answered', 'approved', 'denied'].includes(verdict) && by !== 'oka' && by !== 'the clock';

/** In a conversation that was taken in, these are the one whose assistant this is. */
const isThePerson = (who: string): boolean => /^(?:me|i|user|person|owner|operator|ich)$/i.test(who.trim());

function findingOf(said: Statement, { source, tags, dir }: Said, evidence: Evidence, book: Rows): Finding[] {
  const all = said.isDelicate ? confirmed(said, evidence, book) : [evidence];
  if (all === null) return [];
  // Standing instructions are in every prompt: they need a person's word here.
  const kind = said.kind === 'standing' && source === 'import' ? 'preference' : said.kind;
  const about = { text: said.text, ...(tags === undefined ? {} : { tags }), ...(dir === undefined ? {} : { dir }) };
  const namespace = kind === 'standing' ? STANDING : topicOf(about);
  const { expires } = said;
  return [{ kind, text: said.text, namespace, source, evidence: all, ...(expires === undefined ? {} : { expires }) }];
}

/** What names an address has to be said in two tasks. */
function confirmed({ text }: Statement, evidence: Evidence, book: Rows): Evidence[] | null {
  const key = `facts/said/${likenessOf(text)}`;
  const all = joined(book.get<Evidence[]>(key) ?? [], [evidence]);
  book.put(key, all);
  return witnessesOf(all, book).size >= 2 ? all : null;
}
