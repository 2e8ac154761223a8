/**
 * Owns: which events become entries of the memory index, of which kind, and with which context.
 *
 * 1. Nothing is indexed twice: prompts, plans and judgements of models repeat other events and are left out.
 * 2. An entry contains who, when and which task, and can be found by these.
 * 3. The tutorial of a new home is no memory of anybody.
 * 4. Needs nothing but the event, and a few temporary values that earlier events left.
 */
import type { Event } from '../../../core/schema/event.ts';
import type { Json } from '../../../core/schema/json.ts';
import { isByAgent } from '../../../kit/learning/task-record.ts';
import { splitIntoChunks } from '../../../kit/text/chunk.ts';
import { dateInWords } from '../../../kit/text/terms.ts';
import { type IndexEntry, eventKey, type Kind } from './index-item.ts';
import { type Speaker, speakerOf } from './speaker.ts';

export type TemporaryValues = { get(key: string): string | null; put(key: string, value: string | null): void };

/** What is indexed of an event; a body that is stored as an artifact is named. */
export type IndexedContent = {
  entries: IndexEntry[];
  body?: { sha256: string; entry: Omit<IndexEntry, 'text' | 'part' | 'key' | 'id'> };
};

const NOTHING: IndexedContent = { entries: [] };

/** Calls that only repeat what other events contain. */
const NOT_INDEXED_TOOLS = new Set([
  'model.complete',
  'task.plan',
  'task.critique',
  'step.check',
  'run.start',
  'memory.search',
  'chat.search',
  'human.ask',
]);

const MOST_OUTPUT = 2000;
const MOST_INPUT = 400;
/** Messages further apart than this belong to different conversations. */
const PAUSE_MS = 2 * 60 * 60 * 1000;

export function extractEntries(event: Event, values: TemporaryValues): IndexedContent {
  const extract = EXTRACTORS[event.type] as Extractor<Event> | undefined;
  const content = extract?.(event, values) ?? NOTHING;
  const isOfTutorial = titleOf(rootOf(event.run, values), values) === TUTORIAL_TITLE;
  return isOfTutorial ? NOTHING : content;
}

/** The title of the task that `oka up` puts into the inbox of a new home (share/welcome). */
const TUTORIAL_TITLE = 'Welcome to oka';

type Extractor<E extends Event> = (event: E, values: TemporaryValues) => IndexedContent;
type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** Events of other types are not indexed. */
const EXTRACTORS: { readonly [T in Event['type']]?: Extractor<Of<T>> } = {
  'run.started': (event, values) => onlyNote(() => noteRun(event, values)),
  'task.received': (event, values) => ({
    entries: [],
    body: {
      sha256: event.data.body.sha256,
      entry: describeEvent(event, 'said', isByAgent(event.data.by) ? 'oka' : 'person', values),
    },
  }),
  'run.corrected': (event, values) => entriesFor(event, 'said', 'person', event.data.text, values),
  'wait.opened': ({ data }, values) =>
    onlyNote(() => 'text' in data.for && values.put(`wait ${data.wait}`, data.for.text.slice(0, MOST_INPUT))),
  'wait.closed': extractAnswer,
  'call.started': ({ data }, values) =>
    onlyNote(
      () =>
        NOT_INDEXED_TOOLS.has(data.tool) ||
        values.put(`call ${data.call}`, `${data.tool} ${shortText(data.input, MOST_INPUT)}`),
    ),
  'call.ended': extractCall,
  'decision.made': (event, values) => entriesFor(event, 'decided', 'oka', event.data.decision.rationale, values),
  'run.judged': (event, values) => entriesFor(event, 'judged', 'oka', describeJudgement(event.data), values),
  'run.ended': (event, values) =>
    entriesFor(
      event,
      'ended',
      'oka',
      `${titleOf(event.run, values)}: ${event.data.status}. ${event.data.reason}`,
      values,
    ),
  'episode.imported': extractEpisode,
};

function onlyNote(note: () => unknown): IndexedContent {
  note();
  return NOTHING;
}

/** The entries of a body that was fetched. */
export function bodyEntries(
  event: Event,
  entry: NonNullable<IndexedContent['body']>['entry'],
  text: string,
): IndexEntry[] {
  if (text.trimStart().startsWith(`# ${TUTORIAL_TITLE}\n`)) return []; // its run has no title yet
  return splitIntoEntries(eventKey(event), eventKey(event), entry, text);
}

function entriesFor(event: Event, kind: Kind, who: string, text: string, values: TemporaryValues): IndexedContent {
  if (text.trim() === '') return NOTHING;
  return { entries: splitIntoEntries(eventKey(event), eventKey(event), describeEvent(event, kind, who, values), text) };
}

function splitIntoEntries(
  key: string,
  id: string,
  entry: Omit<IndexEntry, 'text' | 'part' | 'key' | 'id'>,
  text: string,
): IndexEntry[] {
  return splitIntoChunks(text).map((chunk, part) => ({
    ...entry,
    key: part === 0 ? key : `${key}.${part}`,
    id,
    part,
    text: chunk,
  }));
}

function describeEvent(
  event: Event,
  kind: Kind,
  who: string,
  values: TemporaryValues,
): Omit<IndexEntry, 'text' | 'part' | 'key' | 'id'> {
  const node = 'node' in event.data && typeof event.data.node === 'string' ? event.data.node : null;
  const root = rootOf(event.run, values);
  return {
    kind,
    who,
    at: event.at,
    thread: root ?? `day ${event.at.slice(0, 10)}`,
    run: event.run,
    node,
    namespace: 'task',
    pen: event.pen,
    seq: event.seq,
    own: Number(kind === 'said'),
    context: `${who} ${dateInWords(event.at)} ${titleOf(root, values)} ${node ?? ''}`,
  };
}

function noteRun(event: Of<'run.started'>, values: TemporaryValues): void {
  const root = rootOf(event.data.parent, values) ?? event.run;
  values.put(`run ${event.run}`, JSON.stringify({ root, title: event.data.title }));
}

type RunNote = { root: string | null; title: string };

function readRunNote(run: string | null, values: TemporaryValues): RunNote | null {
  const note = run === null ? null : values.get(`run ${run}`);
  return note === null ? null : (JSON.parse(note) as RunNote);
}

const rootOf = (run: string | null, values: TemporaryValues): string | null => readRunNote(run, values)?.root ?? run;
const titleOf = (run: string | null, values: TemporaryValues): string => readRunNote(run, values)?.title ?? '';

/** The answer of a person, with the question. */
function extractAnswer(event: Of<'wait.closed'>, values: TemporaryValues): IndexedContent {
  const asked = values.get(`wait ${event.data.wait}`);
  values.put(`wait ${event.data.wait}`, null);
  const { verdict, by } = event.data.answer;
  const text = 'text' in event.data.answer ? event.data.answer.text : undefined;
  if (asked === null || by === 'oka' || (text ?? '') === '') return NOTHING;
  return entriesFor(event, 'said', by ?? 'person', `${asked}\n${verdict}: ${text}`, values);
}

function extractCall(event: Of<'call.ended'>, values: TemporaryValues): IndexedContent {
  const call = values.get(`call ${event.data.call}`);
  if (call === null) return NOTHING;
  if (event.data.retried === true) return NOTHING;
  values.put(`call ${event.data.call}`, null);
  const result = event.data.error ?? shortText(event.data.output, MOST_OUTPUT);
  return entriesFor(event, 'did', call.split(' ', 1)[0] ?? 'oka', `${call} → ${event.data.status}: ${result}`, values);
}

function describeJudgement({ verdict, criteria, reason }: Of<'run.judged'>['data']): string {
  const missed = criteria.filter(({ holds }) => !holds).map(({ text, evidence }) => `${text}: ${evidence}`);
  return [`Judged ${verdict}: ${reason}`, ...missed].join('\n');
}

const SPEAKER_KINDS: Readonly<Record<Speaker, Kind>> = {
  operator: 'said',
  person: 'said',
  assistant: 'replied',
  tool: 'did',
};

/** A conversation that names no threads is divided into them at long pauses. */
function extractEpisode(event: Of<'episode.imported'>, values: TemporaryValues): IndexedContent {
  const { episode } = event.data;
  const { id, text, at, who, namespace } = episode;
  const note = values.get(`talk ${namespace}`);
  const last = note === null ? { at, count: 0 } : (JSON.parse(note) as { at: string; count: number });
  const isNew = Math.abs(Date.parse(at) - Date.parse(last.at)) > PAUSE_MS;
  const count = isNew ? last.count + 1 : last.count;
  values.put(`talk ${namespace}`, JSON.stringify({ at, count }));
  const entry = {
    ...describeEvent(event, SPEAKER_KINDS[speakerOf(episode)], who, values),
    at,
    thread: `${namespace} ${episode.thread ?? count}`,
    namespace,
    own: Number(speakerOf(episode) === 'operator'),
    context: `${who} ${dateInWords(at)}`,
  };
  return { entries: splitIntoEntries(`import ${namespace} ${id}`, id, entry, text) };
}

function shortText(value: Json, most: number): string {
  if (value === null) return '';
  if (typeof value === 'string') return value.slice(0, most);
  if (typeof value === 'object' && !Array.isArray(value)) {
    const { stdout, stderr, text, line } = value;
    const output = [stdout, stderr, text, line]
      .flatMap((each) => (typeof each === 'string' && each !== '' ? [each] : []))
      .join('\n');
    if (output !== '') return output.slice(0, most);
  }
  return JSON.stringify(value).slice(0, most);
}
