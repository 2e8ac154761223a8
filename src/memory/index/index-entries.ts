/**
 * Owns: which events are remembered, as what, and with which words around them.
 *
 * 1. Nothing is told twice: prompts, plans and judgements of models repeat what stands elsewhere and are left out.
 * 2. A piece says by itself who, when and which task: it is also found by these.
 * 3. Needs nothing but the event, and the few scraps that earlier events left.
 */
import type { Event } from '../../schema/event.ts';
import type { Json } from '../../schema/json.ts';
import { splitIntoChunks } from '../text/chunk.ts';
import { dateInWords } from '../text/terms.ts';
import { type IndexEntry, eventKey, type Kind } from './index-item.ts';

export type TemporaryValues = { get(key: string): string | null; put(key: string, value: string | null): void };

/** What an event has to say; a body that is kept as an artifact is named. */
export type IndexedContent = {
  entries: IndexEntry[];
  body?: { sha256: string; draft: Omit<IndexEntry, 'text' | 'part' | 'key' | 'id'> };
};

const NOTHING: IndexedContent = { entries: [] };

/** Calls that only carry what other events say. */
const NOT_INDEXED_TOOLS = new Set([
  'model.complete',
  'task.plan',
  'task.critique',
  'step.check',
  'run.start',
  'memory.search',
  'human.ask',
]);

const MOST_OUTPUT = 2000;
const MOST_INPUT = 400;
/** Messages further apart than this belong to different conversations. */
const PAUSE_MS = 2 * 60 * 60 * 1000;

export function extractEntries(event: Event, scraps: TemporaryValues): IndexedContent {
  const teller = EXTRACTORS[event.type] as Extractor<Event> | undefined;
  return teller === undefined ? NOTHING : teller(event, scraps);
}

type Extractor<E extends Event> = (event: E, scraps: TemporaryValues) => IndexedContent;
type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** What is not named here is not remembered. */
const EXTRACTORS: { readonly [T in Event['type']]?: Extractor<Of<T>> } = {
  'run.started': (event, scraps) => onlyNote(() => noteRun(event, scraps)),
  'task.received': (event, scraps) => ({
    entries: [],
    body: { sha256: event.data.body.sha256, draft: describeEvent(event, 'said', 'person', scraps) },
  }),
  'run.corrected': (event, scraps) => entriesFor(event, 'said', 'person', event.data.text, scraps),
  'wait.opened': ({ data }, scraps) =>
    onlyNote(() => 'text' in data.for && scraps.put(`wait ${data.wait}`, data.for.text.slice(0, MOST_INPUT))),
  'wait.closed': extractAnswer,
  'call.started': ({ data }, scraps) =>
    onlyNote(
      () =>
        NOT_INDEXED_TOOLS.has(data.tool) ||
        scraps.put(`call ${data.call}`, `${data.tool} ${shortText(data.input, MOST_INPUT)}`),
    ),
  'call.ended': extractCall,
  'decision.made': (event, scraps) => entriesFor(event, 'decided', 'oka', event.data.decision.rationale, scraps),
  'run.judged': (event, scraps) => entriesFor(event, 'judged', 'oka', describeJudgement(event.data), scraps),
  'run.ended': (event, scraps) =>
    entriesFor(
      event,
      'ended',
      'oka',
      `${titleOf(event.run, scraps)}: ${event.data.status}. ${event.data.reason}`,
      scraps,
    ),
  'episode.imported': extractEpisode,
};

function onlyNote(note: () => unknown): IndexedContent {
  note();
  return NOTHING;
}

/** The pieces of a body that was fetched. */
export function bodyEntries(
  event: Event,
  draft: NonNullable<IndexedContent['body']>['draft'],
  text: string,
): IndexEntry[] {
  return splitIntoEntries(eventKey(event), eventKey(event), draft, text);
}

function entriesFor(event: Event, kind: Kind, who: string, text: string, scraps: TemporaryValues): IndexedContent {
  if (text.trim() === '') return NOTHING;
  return { entries: splitIntoEntries(eventKey(event), eventKey(event), describeEvent(event, kind, who, scraps), text) };
}

function splitIntoEntries(
  key: string,
  id: string,
  draft: Omit<IndexEntry, 'text' | 'part' | 'key' | 'id'>,
  text: string,
): IndexEntry[] {
  return splitIntoChunks(text).map((piece, part) => ({
    ...draft,
    key: part === 0 ? key : `${key}.${part}`,
    id,
    part,
    text: piece,
  }));
}

function describeEvent(
  event: Event,
  kind: Kind,
  who: string,
  scraps: TemporaryValues,
): Omit<IndexEntry, 'text' | 'part' | 'key' | 'id'> {
  const node = 'node' in event.data && typeof event.data.node === 'string' ? event.data.node : null;
  const root = rootOf(event.run, scraps);
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
    context: `${who} ${dateInWords(event.at)} ${titleOf(root, scraps)} ${node ?? ''}`,
  };
}

function noteRun(event: Of<'run.started'>, scraps: TemporaryValues): void {
  const root = rootOf(event.data.parent, scraps) ?? event.run;
  scraps.put(`run ${event.run}`, JSON.stringify({ root, title: event.data.title }));
}

type RunNote = { root: string | null; title: string };

function readRunNote(run: string | null, scraps: TemporaryValues): RunNote | null {
  const note = run === null ? null : scraps.get(`run ${run}`);
  return note === null ? null : (JSON.parse(note) as RunNote);
}

const rootOf = (run: string | null, scraps: TemporaryValues): string | null => readRunNote(run, scraps)?.root ?? run;
const titleOf = (run: string | null, scraps: TemporaryValues): string => readRunNote(run, scraps)?.title ?? '';

/** What a person answered, with the question. */
function extractAnswer(event: Of<'wait.closed'>, scraps: TemporaryValues): IndexedContent {
  const asked = scraps.get(`wait ${event.data.wait}`);
  scraps.put(`wait ${event.data.wait}`, null);
  const { verdict, by } = event.data.answer;
  const text = 'text' in event.data.answer ? event.data.answer.text : undefined;
  if (asked === null || by === 'oka' || (text ?? '') === '') return NOTHING;
  return entriesFor(event, 'said', by ?? 'person', `${asked}\n${verdict}: ${text}`, scraps);
}

function extractCall(event: Of<'call.ended'>, scraps: TemporaryValues): IndexedContent {
  const begun = scraps.get(`call ${event.data.call}`);
  if (begun === null) return NOTHING;
  if (event.data.retried === true) return NOTHING;
  scraps.put(`call ${event.data.call}`, null);
  const came = event.data.error ?? shortText(event.data.output, MOST_OUTPUT);
  return entriesFor(event, 'did', begun.split(' ', 1)[0] ?? 'oka', `${begun} → ${event.data.status}: ${came}`, scraps);
}

function describeJudgement({ verdict, criteria, reason }: Of<'run.judged'>['data']): string {
  const missed = criteria.filter(({ holds }) => !holds).map(({ text, evidence }) => `${text}: ${evidence}`);
  return [`Judged ${verdict}: ${reason}`, ...missed].join('\n');
}

/** A stretch of a conversation is a thread; pauses part them. */
function extractEpisode(event: Of<'episode.imported'>, scraps: TemporaryValues): IndexedContent {
  const { id, text, at, who, namespace } = event.data.episode;
  const note = scraps.get(`talk ${namespace}`);
  const last = note === null ? { at, count: 0 } : (JSON.parse(note) as { at: string; count: number });
  const isNew = Math.abs(Date.parse(at) - Date.parse(last.at)) > PAUSE_MS;
  const count = isNew ? last.count + 1 : last.count;
  scraps.put(`talk ${namespace}`, JSON.stringify({ at, count }));
  const draft = {
    ...describeEvent(event, 'said', who, scraps),
    at,
    thread: `${namespace} ${count}`,
    namespace,
    context: `${who} ${dateInWords(at)}`,
  };
  return { entries: splitIntoEntries(`import ${namespace} ${id}`, id, draft, text) };
}

function shortText(value: Json, most: number): string {
  if (value === null) return '';
  if (typeof value === 'string') return value.slice(0, most);
  if (typeof value === 'object' && !Array.isArray(value)) {
    const { stdout, stderr, text, line } = value;
    const said = [stdout, stderr, text, line]
      .flatMap((each) => (typeof each === 'string' && each !== '' ? [each] : []))
      .join('\n');
    if (said !== '') return said.slice(0, most);
  }
  return JSON.stringify(value).slice(0, most);
}
