/**
 * Owns: what every entry of the memory index has: which task or sitting it belongs to, when and by whom, and its chunks.
 * What a person pasted is an entry of its own, which is not the person's.
 */
import type { Event } from '../../../core/schema/event.ts';
import { splitIntoChunks } from '../../../kit/text/chunk.ts';
import { dateInWords } from '../../../kit/text/terms.ts';
import { splitByVoice } from '../distil/own-sentences.ts';
import type { IndexEntry, Kind } from '../../../kit/learning/index-item.ts';

export type TemporaryValues = { get(key: string): string | null; put(key: string, value: string | null): void };

/** An entry before its text is known. */
export type EntryHead = Omit<IndexEntry, 'text' | 'part'>;

/** What is indexed of an event; a text that is stored as an artifact is named. */
export type IndexedContent = {
  entries: IndexEntry[];
  body?: { sha256: string; entry: EntryHead };
  /** The entries whose keys are in this range, both ends included, are removed. */
  removes?: { from: string; to: string };
};

/** Long texts become several entries, and what a person pasted becomes entries that are not the person's (5). */
export function splitIntoEntries(entry: EntryHead, text: string): IndexEntry[] {
  const isWritten = entry.own === 1 && entry.node === null; // an answer to a question is a line, with the question
  const passages = isWritten ? splitByVoice(text) : [{ text, isOwn: true }];
  const chunks = passages.flatMap((passage) => {
    const head = passage.isOwn ? entry : { ...entry, ...PASTED };
    return splitIntoChunks(passage.text).map((chunk) => ({ ...head, text: chunk }));
  });
  return chunks.map((each, part) => ({ ...each, key: part === 0 ? each.key : `${each.key}.${part}`, part }));
}

const PASTED = { kind: 'pasted', who: 'pasted', own: 0 } as const;

export function describeEvent(
  event: Event,
  kind: Kind,
  who: string,
  values: TemporaryValues,
): Omit<EntryHead, 'key' | 'id'> {
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

export function noteRun(event: Extract<Event, { type: 'run.started' }>, values: TemporaryValues): void {
  const root = rootOf(event.data.parent, values) ?? event.run;
  values.put(`run ${event.run}`, JSON.stringify({ root, title: event.data.title }));
}

type RunNote = { root: string | null; title: string };

function readRunNote(run: string | null, values: TemporaryValues): RunNote | null {
  const note = run === null ? null : values.get(`run ${run}`);
  return note === null ? null : (JSON.parse(note) as RunNote);
}

export const rootOf = (run: string | null, values: TemporaryValues): string | null =>
  readRunNote(run, values)?.root ?? run;
export const titleOf = (run: string | null, values: TemporaryValues): string => readRunNote(run, values)?.title ?? '';

/** Messages further apart than this belong to different sittings. */
const PAUSE_MS = 2 * 60 * 60 * 1000;

/** A conversation that names no threads is divided into them at long pauses: the number of the one that this moment is in. */
export function sittingOf(conversation: string, at: string, values: TemporaryValues): number {
  const note = values.get(`talk ${conversation}`);
  const last = note === null ? { at, count: 0 } : (JSON.parse(note) as { at: string; count: number });
  const isNew = Math.abs(Date.parse(at) - Date.parse(last.at)) > PAUSE_MS;
  const count = isNew ? last.count + 1 : last.count;
  values.put(`talk ${conversation}`, JSON.stringify({ at, count }));
  return count;
}
