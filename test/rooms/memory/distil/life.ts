/** Two ledgers in memory, and the parts that learn from them: what the process does, without its files. */
import { hash } from 'node:crypto';
import { memoryRows } from '../../../../src/core/ledger/memory-rows.ts';
import type { Part } from '../../../../src/core/schema/learning-part.ts';
import type { Rows } from '../../../../src/core/schema/rows.ts';
import { factsPart } from '../../../../src/rooms/memory/distil/facts-part.ts';
import { type StoredFact, isValid } from '../../../../src/rooms/memory/distil/fact-rows.ts';
import { taskRecords } from '../../../../src/kit/learning/task-record.ts';
import { checkEvent, type Event, type NewEvent } from '../../../../src/core/schema/event.ts';

export const START = Date.parse('2026-03-02T08:00:00.000Z');
const sha = (text: string): string => hash('sha256', text);

export type Life = ReturnType<typeof life>;

export function life(settings: { unused_days: number | null } = { unused_days: 180 }) {
  const run: Event[] = [];
  const maintenance: Event[] = [];
  const artifacts = new Map<string, string>();
  const parts: Part[] = [taskRecords, factsPart(settings)];
  let book = memoryRows();
  let now = START;
  let taken = 0;

  const at = (): string => new Date(now).toISOString();
  const take = (event: Event, into: Rows = book): void => {
    for (const part of parts) {
      const wanted = part.wants?.(event, into) ?? [];
      part.take({ event, text: (hashed) => (wanted.includes(hashed) ? (artifacts.get(hashed) ?? null) : null) }, into);
    }
  };
  const written = (list: Event[], pen: Event['pen'], event: NewEvent): Event => {
    const line = { seq: list.length + 1, at: at(), pen, ...checkEvent(event) } as Event;
    list.push(line);
    return line;
  };
  const add = (...events: NewEvent[]): number => {
    for (const event of events) {
      now += 1000;
      written(run, 'run', event);
    }
    return run.length;
  };
  const read = (): void => {
    for (const event of run.slice(taken)) take(event);
    taken = run.length;
  };
  /** Reads what is new, writes down what follows. Returns what it wrote. */
  const pass = (): Event[] => {
    read();
    const told = parts.flatMap((part) => part.conclude?.(book, { now: at(), read: taken }) ?? []);
    const events = told.map((event) => written(maintenance, 'maintenance', { ...event, cause: taken }));
    for (const event of events) take(event);
    return events;
  };
  return {
    run,
    maintenance,
    artifacts,
    add,
    read,
    pass,
    get book(): Rows {
      return book;
    },
    later: (days: number) => {
      now += days * 86_400_000;
    },
    /** A task as the worker takes it in, up to its end. */
    task: (id: string, body: string, inside: readonly NewEvent[] = [], how: TaskHow = {}): number => {
      artifacts.set(sha(body), body);
      const given = {
        name: `${id}.md`,
        title: how.title ?? id,
        body: sha(`${id}${body}`),
        first_line: 1,
        dir: how.dir ?? null,
        fields: how.corrects === undefined ? {} : { corrects: how.corrects },
      };
      return add(
        { type: 'task.received', run: id, data: { name: `${id}.md`, body: { sha256: sha(body), bytes: body.length } } },
        ...(how.corrects === undefined
          ? []
          : [{ type: 'run.corrected', run: how.corrects, data: { by: id, text: body } } as const]),
        {
          type: 'run.started',
          run: id,
          data: { title: how.title ?? id, graph: { id: 'oka.task', sha256: sha('graph') }, input: given },
        },
        ...inside,
        { type: 'run.ended', run: id, data: { status: how.status ?? 'done', reason: 'over' } },
      );
    },
    /** The book made again from the first event on, each event of maintenance behind its cause. */
    rebuilt: (): Rows => {
      const anew = memoryRows();
      const left = [...maintenance];
      for (const event of [null, ...run]) {
        if (event !== null) take(event, anew);
        while (left[0] !== undefined && (left[0].cause ?? 0) <= (event?.seq ?? 0)) take(left.shift() as Event, anew);
      }
      return anew;
    },
    replace: (other: ReturnType<typeof memoryRows>) => {
      book = other;
    },
  };
}

type TaskHow = { title?: string; dir?: string; corrects?: string; status?: 'done' | 'failed' };

export function heldIn(book: Rows): StoredFact[] {
  return [...book.each<StoredFact>('facts/held/')].map(([, held]) => held).filter(isValid);
}

export const textsIn = (book: Rows): string[] =>
  heldIn(book)
    .map(({ fact }) => fact.text)
    .toSorted();

export const dump = (book: Rows): string => JSON.stringify([...book.each('')]);

export function call(run: string, n: number, tool: string, input: object, outcome: object): NewEvent[] {
  const id = `${run}.step.${n}`;
  return [
    { type: 'call.started', run, data: { call: id, node: 'step', tool, class: 'read', input: input as never } },
    { type: 'call.ended', run, data: { call: id, node: 'step', status: 'ok', ...outcome } as never },
  ];
}

export const note = (run: string, n: number, text: string): NewEvent[] =>
  call(run, n, 'memory.note', { text, namespace: 'general' }, { output: { noted: true } });

export function approval(run: string, n: number, verdict: 'approved' | 'denied', host = 'api.example.org'): NewEvent[] {
  const wait = `${run}.ask.${n}`;
  const grant = {
    tool: 'http.request',
    class: 'external_mutation',
    programs: [],
    hosts: [host],
    policy: sha('policy'),
  };
  const asked = {
    tool: 'http.request',
    class: 'external_mutation',
    author: 'model',
    command: 'POST',
    why: 'it acts',
    grant,
  };
  return [
    {
      type: 'wait.opened',
      run,
      data: { wait, node: 'step', for: { kind: 'approval', binding: sha('b'), text: 'May it?', asked } as never },
    },
    { type: 'wait.closed', run, data: { wait, node: 'step', answer: { verdict, by: 'ann' } } },
  ];
}
