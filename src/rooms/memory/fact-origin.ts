/** Why something is known: the latest event that is evidence for it, in words. */
import { readEvents } from '../../core/ledger/read-events.ts';
import type { EventType, Line, Pen } from '../../core/schema/event.ts';
import type { Evidence } from '../../core/schema/memory.ts';
import type { Origin } from '../../core/schema/knowledge.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { storedRun } from '../../kit/views/run-rows.ts';

export type Ledgers = Readonly<Record<Pen, string>>;

/** Evidence names events of the run ledger. */
export async function findOrigin(rows: Rows, ledgers: Ledgers, evidence: readonly Evidence[]): Promise<Origin> {
  const last = evidence.at(-1);
  const event = last === undefined ? null : await readEvent(ledgers.run, last.seq);
  const within = event?.run ?? last?.run ?? null;
  const run = within === null ? null : (storedRun(rows, within)?.root ?? within);
  const title = run === null ? null : (storedRun(rows, run)?.title ?? run);
  const { text, person } =
    event === null ? { text: 'its event cannot be read', person: null } : describeOrigin(event, title);
  return { text, at: event?.at ?? null, run, seq: last?.seq ?? null, person, more: Math.max(0, evidence.length - 1) };
}

/** The event with this number; null when it is not there or cannot be read. */
export async function readEvent(ledger: string, seq: number): Promise<Line | null> {
  try {
    for await (const event of readEvents(ledger, { from: seq, to: seq })) return event;
    return null;
  } catch {
    return null; // `oka verify` reports what is damaged
  }
}

type Described = Pick<Origin, 'text' | 'person'>;

function describeOrigin(event: Line, title: string | null): Described {
  const task = title === null ? 'a task' : `the task “${title}”`;
  const describe = ORIGINS[event.type] as ((data: Line['data'], task: string) => Described) | undefined;
  return describe?.(event.data, task) ?? { text: `it was observed in ${task}`, person: null };
}

type DataOf<T extends EventType> = Extract<Line, { type: T }>['data'];

/** What events of other types show was observed, not said. */
const ORIGINS: { readonly [T in EventType]?: (data: DataOf<T>, task: string) => Described } = {
  'task.received': (_, task) => ({ text: `you wrote it in ${task}`, person: null }),
  'run.corrected': (_, task) => ({ text: `you corrected ${task}`, person: null }),
  'wait.closed': ({ answer: { by = null } }, task) => ({
    text: `${by ?? 'you'} answered a question of ${task}`,
    person: by,
  }),
  'message.posted': () => ({ text: 'you said it in a conversation', person: null }),
  'episode.imported': ({ episode: { who }, from: { name } }) => ({
    text: `${who} said it in ${name}, which was imported`,
    person: who,
  }),
  'fact.kept': ({ from }) => ({
    text: from === undefined ? 'you asked oka to remember it' : `${from}, a member of the fleet, shares it`,
    person: null,
  }),
  'page.edited': ({ page }) => ({ text: `you edited the page ${page}`, person: null }),
};
