/** Learns what people explicitly ask to have remembered: in tasks, in answers, in conversations and in imported ones. */
import { OkaError } from '../../../../core/schema/errors.ts';
import type { Event } from '../../../../core/schema/event.ts';
import { readFrontMatter } from '../../../../core/schema/front-matter.ts';
import { type Evidence, STANDING } from '../../../../core/schema/memory.ts';
import type { Rows } from '../../../../core/schema/rows.ts';
import type { Read } from '../../../../core/schema/view.ts';
import { isByAgent, taskRecordOf, rootOf } from '../../../../kit/learning/task-record.ts';
import { speakerOf } from '../../index/speaker.ts';
import { handleByType, type EventOf } from '../../event-handlers.ts';
import {
  evidenceOfEvent,
  type Finding,
  mergeEvidence,
  type Rule,
  type Source,
  independentTasks,
} from '../fact-finding.ts';
import { isRemembered, noteSource } from '../conversation-facts.ts';
import { similarityKey } from '../similarity-key.ts';
import { takeBack } from '../take-back.ts';
import { type Statement, findStatements, findTakeBacks } from '../parse-statement.ts';
import { type About, chooseTopic } from '../fact-topic.ts';

export const statements: Rule = {
  name: 'statements',
  wants: (event) => (event.type === 'task.received' ? [event.data.body.sha256] : []),
  find: (read, rows) => {
    const said = personsText(read.event, read.text, rows);
    if (said === null) return [];
    const evidence = evidenceOfEvent(read.event);
    const found = findStatements(said.text, said.at);
    if (said.source !== 'import') for (const words of findTakeBacks(said.text)) takeBack(rows, words, read.event.at);
    if (found.length === 0 || isRepeated(read.event, rows)) return [];
    if (read.event.type === 'message.posted') noteSource(rows, read.event.data, read.event.seq);
    return found.flatMap((each) => toFinding(each, said, evidence, rows));
  },
};

type PersonsText = { text: string; at: string; source: Source } & Omit<About, 'text'>;

const personsText = handleByType<[Read['text'], Rows], PersonsText | null>({
  'task.received': ({ at, data: { by, body } }, text) =>
    isByAgent(by) ? null : readTaskText(text(body.sha256) ?? '', at),
  'wait.opened': ({ data }, _, rows) => {
    const isAsked = data.for.kind === 'question' || data.for.kind === 'approval';
    if (isAsked) rows.put(`facts/asked/${data.wait}`, true);
    return null;
  },
  'wait.closed': (event, _, rows) => readAnswer(event, rows),
  // What agents say in a conversation is no evidence.
  'message.posted': ({ at, data: { kind, content, conversation } }, _, rows) =>
    kind === 'person' && isRemembered(rows, conversation) ? { text: content, at, source: 'person' } : null,
  'episode.imported': ({ data: { episode } }) =>
    speakerOf(episode) === 'operator' ? { text: episode.text, at: episode.at, source: 'import' } : null,
});

/** A task that repeats in the same words, such as a scheduled one, states something only once. */
function isRepeated(event: Event, rows: Rows): boolean {
  if (event.type !== 'task.received') return false;
  const key = `facts/body/${event.data.body.sha256}`;
  const wasSaid = rows.get(key) !== undefined;
  if (!wasSaid) rows.put(key, true);
  return wasSaid;
}

/** Other files in the folder of a task are never read. */
function readTaskText(file: string, at: string): PersonsText | null {
  try {
    const { data, body } = readFrontMatter(file, 'the task');
    const tags = Array.isArray(data['tags']) ? data['tags'].filter((tag) => typeof tag === 'string') : [];
    return { text: body, at, source: 'task', tags, dir: typeof data['dir'] === 'string' ? data['dir'] : null };
  } catch (error) {
    if (error instanceof OkaError) return null; // an unreadable task states nothing
    throw error;
  }
}

function readAnswer(event: EventOf<'wait.closed'>, rows: Rows): PersonsText | null {
  const key = `facts/asked/${event.data.wait}`;
  const wasAsked = rows.get(key) !== undefined;
  rows.put(key, null);
  if (!wasAsked || !isByPerson(event.data.answer)) return null;
  const record = event.run === null ? undefined : taskRecordOf(rows, rootOf(rows, event.run));
  return { text: event.data.answer.text ?? '', at: event.at, source: 'person', dir: record?.dir ?? null };
}

/** These verdicts come from people, except those of the clock and of oka itself. */
export const isByPerson = ({ verdict, by }: { verdict: string; by?: string | undefined }): boolean =>
  ['answered', 'approved', 'denied'].includes(verdict) && by !== 'oka' && by !== 'the clock';

function toFinding(said: Statement, { source, tags, dir }: PersonsText, evidence: Evidence, rows: Rows): Finding[] {
  const all = said.isDelicate ? confirmByTwoTasks(said, evidence, rows) : [evidence];
  if (all === null) return [];
  // Standing instructions are part of every prompt, so an imported text is not enough.
  const kind = said.kind === 'standing' && source === 'import' ? 'preference' : said.kind;
  const about = { text: said.text, ...(tags === undefined ? {} : { tags }), ...(dir === undefined ? {} : { dir }) };
  const namespace = kind === 'standing' ? STANDING : chooseTopic(about);
  const { expires } = said;
  return [{ kind, text: said.text, namespace, source, evidence: all, ...(expires === undefined ? {} : { expires }) }];
}

/** A statement that names an address must appear in two tasks. */
function confirmByTwoTasks({ text }: Statement, evidence: Evidence, rows: Rows): Evidence[] | null {
  const key = `facts/said/${similarityKey(text)}`;
  const all = mergeEvidence(rows.get<Evidence[]>(key) ?? [], [evidence]);
  rows.put(key, all);
  return independentTasks(all, rows).size >= 2 ? all : null;
}
