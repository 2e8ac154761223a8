/**
 * Owns: which events become entries of the memory index, of which kind, and with which context.
 *
 * 1. Nothing is indexed twice: prompts, plans and judgements of models repeat other events and are left out.
 * 2. An entry contains who, when and which task, and can be found by these.
 * 3. The tutorial of a new home is no memory of anybody.
 * 4. A conversation is remembered by its messages (chat-entries.ts); the runs that write replies leave nothing.
 * 5. Needs nothing but the event, and a few temporary values that earlier events left.
 */
import type { Event } from '../../../core/schema/event.ts';
import { noticeOfRun } from '../../../core/schema/chat-names.ts';
import type { Json } from '../../../core/schema/json.ts';
import { isByAgent } from '../../../kit/learning/task-record.ts';
import { dateInWords } from '../../../kit/text/terms.ts';
import { withoutFrontMatter } from '../distil/own-blocks.ts';
import { conversationExtractors } from './chat-entries.ts';
import {
  describeEvent,
  type EntryHead,
  type IndexedContent,
  noteRun,
  rootOf,
  sittingOf,
  splitIntoEntries,
  type TemporaryValues,
  titleOf,
} from './entry-parts.ts';
import { type IndexEntry, eventKey, type Kind } from '../../../kit/learning/index-item.ts';
import { type Speaker, speakerOf } from './speaker.ts';

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
export function extractEntries(event: Event, values: TemporaryValues): IndexedContent {
  const extract = EXTRACTORS[event.type] as Extractor<Event> | undefined;
  const content = extract?.(event, values) ?? NOTHING;
  const root = rootOf(event.run, values);
  return titleOf(root, values) === TUTORIAL_TITLE || noticeOfRun(root) !== null ? NOTHING : content;
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
      entry: {
        ...describeEvent(
          event,
          isByAgent(event.data.by) ? 'replied' : 'said',
          isByAgent(event.data.by) ? 'oka' : 'person',
          values,
        ),
        key: eventKey(event),
        id: eventKey(event),
      },
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
  ...conversationExtractors,
};

function onlyNote(note: () => unknown): IndexedContent {
  note();
  return NOTHING;
}

/** The entries of a text that was fetched. */
export function bodyEntries(entry: EntryHead, text: string): IndexEntry[] {
  if (text.trimStart().startsWith(`# ${TUTORIAL_TITLE}\n`)) return []; // its run has no title yet
  return splitIntoEntries(entry, withoutFrontMatter(text));
}

function entriesFor(event: Event, kind: Kind, who: string, text: string, values: TemporaryValues): IndexedContent {
  if (text.trim() === '') return NOTHING;
  const key = eventKey(event);
  return { entries: splitIntoEntries({ ...describeEvent(event, kind, who, values), key, id: key }, text) };
}

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

function extractEpisode(event: Of<'episode.imported'>, values: TemporaryValues): IndexedContent {
  const { episode } = event.data;
  const { id, text, at, who, namespace } = episode;
  const entry = {
    ...describeEvent(event, SPEAKER_KINDS[speakerOf(episode)], who, values),
    key: `import ${namespace} ${id}`,
    id,
    at,
    thread: `${namespace} ${episode.thread ?? sittingOf(namespace, at, values)}`,
    namespace,
    own: Number(speakerOf(episode) === 'operator'),
    context: `${who} ${dateInWords(at)}`,
  };
  return { entries: splitIntoEntries(entry, text) };
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
