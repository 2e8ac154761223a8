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
import { type Draft, eventKey, type Kind } from './item.ts';

export type Scraps = { get(key: string): string | null; put(key: string, value: string | null): void };

/** What an event has to say; a body that is kept as an artifact is named. */
export type Telling = {
  drafts: Draft[];
  body?: { sha256: string; draft: Omit<Draft, 'text' | 'part' | 'key' | 'id'> };
};

const NOTHING: Telling = { drafts: [] };

/** Calls that only carry what other events say. */
const UNTOLD = new Set([
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

export function tellingOf(event: Event, scraps: Scraps): Telling {
  const teller = TELLERS[event.type] as Teller<Event> | undefined;
  return teller === undefined ? NOTHING : teller(event, scraps);
}

type Teller<E extends Event> = (event: E, scraps: Scraps) => Telling;
type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** What is not named here is not remembered. */
const TELLERS: { readonly [T in Event['type']]?: Teller<Of<T>> } = {
  'run.started': (event, scraps) => noted(() => noteRun(event, scraps)),
  'task.received': (event, scraps) => ({
    drafts: [],
    body: { sha256: event.data.body.sha256, draft: about(event, 'said', 'person', scraps) },
  }),
  'run.corrected': (event, scraps) => told(event, 'said', 'person', event.data.text, scraps),
  'wait.opened': ({ data }, scraps) =>
    noted(() => 'text' in data.for && scraps.put(`wait ${data.wait}`, data.for.text.slice(0, MOST_INPUT))),
  'wait.closed': answered,
  'call.started': ({ data }, scraps) =>
    noted(
      () => UNTOLD.has(data.tool) || scraps.put(`call ${data.call}`, `${data.tool} ${brief(data.input, MOST_INPUT)}`),
    ),
  'call.ended': ended,
  'decision.made': (event, scraps) => told(event, 'decided', 'oka', event.data.decision.rationale, scraps),
  'run.judged': (event, scraps) => told(event, 'judged', 'oka', judgement(event.data), scraps),
  'run.ended': (event, scraps) =>
    told(event, 'ended', 'oka', `${titleOf(event.run, scraps)}: ${event.data.status}. ${event.data.reason}`, scraps),
  'episode.imported': imported,
};

function noted(note: () => unknown): Telling {
  note();
  return NOTHING;
}

/** The pieces of a body that was fetched. */
export function bodyDrafts(event: Event, draft: NonNullable<Telling['body']>['draft'], text: string): Draft[] {
  return inPieces(eventKey(event), eventKey(event), draft, text);
}

function told(event: Event, kind: Kind, who: string, text: string, scraps: Scraps): Telling {
  if (text.trim() === '') return NOTHING;
  return { drafts: inPieces(eventKey(event), eventKey(event), about(event, kind, who, scraps), text) };
}

function inPieces(key: string, id: string, draft: Omit<Draft, 'text' | 'part' | 'key' | 'id'>, text: string): Draft[] {
  return splitIntoChunks(text).map((piece, part) => ({
    ...draft,
    key: part === 0 ? key : `${key}.${part}`,
    id,
    part,
    text: piece,
  }));
}

function about(event: Event, kind: Kind, who: string, scraps: Scraps): Omit<Draft, 'text' | 'part' | 'key' | 'id'> {
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

function noteRun(event: Of<'run.started'>, scraps: Scraps): void {
  const root = rootOf(event.data.parent, scraps) ?? event.run;
  scraps.put(`run ${event.run}`, JSON.stringify({ root, title: event.data.title }));
}

type RunNote = { root: string | null; title: string };

function runNote(run: string | null, scraps: Scraps): RunNote | null {
  const note = run === null ? null : scraps.get(`run ${run}`);
  return note === null ? null : (JSON.parse(note) as RunNote);
}

const rootOf = (run: string | null, scraps: Scraps): string | null => runNote(run, scraps)?.root ?? run;
const titleOf = (run: string | null, scraps: Scraps): string => runNote(run, scraps)?.title ?? '';

/** What a person answered, with the question. */
function answered(event: Of<'wait.closed'>, scraps: Scraps): Telling {
  const asked = scraps.get(`wait ${event.data.wait}`);
  scraps.put(`wait ${event.data.wait}`, null);
  const { verdict, by } = event.data.answer;
  const text = 'text' in event.data.answer ? event.data.answer.text : undefined;
  if (asked === null || by === 'oka' || (text ?? '') === '') return NOTHING;
  return told(event, 'said', by ?? 'person', `${asked}\n${verdict}: ${text}`, scraps);
}

function ended(event: Of<'call.ended'>, scraps: Scraps): Telling {
  const begun = scraps.get(`call ${event.data.call}`);
  if (begun === null) return NOTHING;
  if (event.data.retried === true) return NOTHING;
  scraps.put(`call ${event.data.call}`, null);
  const came = event.data.error ?? brief(event.data.output, MOST_OUTPUT);
  return told(event, 'did', begun.split(' ', 1)[0] ?? 'oka', `${begun} → ${event.data.status}: ${came}`, scraps);
}

function judgement({ verdict, criteria, reason }: Of<'run.judged'>['data']): string {
  const missed = criteria.filter(({ holds }) => !holds).map(({ text, evidence }) => `${text}: ${evidence}`);
  return [`Judged ${verdict}: ${reason}`, ...missed].join('\n');
}

/** A stretch of a conversation is a thread; pauses part them. */
function imported(event: Of<'episode.imported'>, scraps: Scraps): Telling {
  const { id, text, at, who, namespace } = event.data.episode;
  const note = scraps.get(`talk ${namespace}`);
  const last = note === null ? { at, count: 0 } : (JSON.parse(note) as { at: string; count: number });
  const isNew = Math.abs(Date.parse(at) - Date.parse(last.at)) > PAUSE_MS;
  const count = isNew ? last.count + 1 : last.count;
  scraps.put(`talk ${namespace}`, JSON.stringify({ at, count }));
  const draft = {
    ...about(event, 'said', who, scraps),
    at,
    thread: `${namespace} ${count}`,
    namespace,
    context: `${who} ${dateInWords(at)}`,
  };
  return { drafts: inPieces(`import ${namespace} ${id}`, id, draft, text) };
}

function brief(value: Json, most: number): string {
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
