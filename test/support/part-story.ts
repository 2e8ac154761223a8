/** Events in order, as a ledger would return them, folded by parts. */
import { memoryRows } from '../../src/core/ledger/memory-rows.ts';
import type { Part } from '../../src/core/schema/learning-part.ts';
import type { Rows } from '../../src/core/schema/rows.ts';
import { renderPageText } from '../../src/rooms/memory/pages/people-part.ts';
import type { Event, EventType, NewEvent, Pen } from '../../src/core/schema/event.ts';

type Given<T extends EventType> = Extract<NewEvent, { type: T }>['data'];

export class BookStory {
  readonly book = memoryRows();
  at = '2026-01-31T08:00:00.000Z';
  #seq = 0;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  tell<T extends EventType>(type: T, run: string | null, data: Given<T>, pen: Pen = 'run'): number {
    this.#seq += 1;
    this.at = new Date(Date.parse(this.at) + 1000).toISOString();
    const event = { seq: this.#seq, type, run, at: this.at, pen, cause: null, v: 1, data } as unknown as Event;
    for (const part of this.#parts) part.take({ event, text: () => null }, this.book);
    return this.#seq;
  }

  begin(run: string, title = `Task ${run}`, parent: string | null = null): void {
    const input = { name: `${run}.md`, title, body: 'a'.repeat(64), fields: {}, first_line: 1, dir: null };
    const graph = { id: 'oka.task', sha256: 'a'.repeat(64) };
    this.tell('run.started', run, {
      title,
      graph,
      input,
      parent,
      depth: 0,
      mode: 'bounded',
      state: 'PLAN',
      nodes: [],
      budgets: {},
    });
  }

  end(run: string, status: 'done' | 'failed' | 'cancelled', reason = ''): void {
    this.tell('run.ended', run, { status, reason, output: null, artifacts: [] });
  }

  page(name: string, book: Rows = this.book): string {
    return renderPageText(this.#parts, name, book) ?? '';
  }
}
