/**
 * Owns: the one order of the events of both ledgers.
 *
 * 1. The order within each ledger is preserved. What maintenance wrote after reading run event R comes after R, and
 *    before R + 1 if both are still unread. A reader that runs at the same time as maintenance may get it later, but never before R.
 * 2. Events of the maintenance ledger about itself (`ledger.*`) have no cause: they come as soon as possible.
 */
import type { Line } from '../schema/event.ts';

type OneOrderOptions = {
  /** The last run event that was read before. */
  reached: number;
  /** Called for an event whose cause is not among the run events: true lets it come last, false ends the order here. */
  onMissingCause: (event: Line, end: number) => boolean;
};

/** Merges batches of both ledgers into batches of at most `size` events. */
export async function* inOneOrder(
  runs: AsyncIterator<Line[]>,
  maintenance: AsyncIterator<Line[]>,
  size: number,
  { reached, onMissingCause }: OneOrderOptions,
): AsyncGenerator<Line[]> {
  // The cause of an event is durable before the event: opened in this order, whatever is read here has its cause there.
  const own = new Head(maintenance);
  await own.fill();
  const run = new Head(runs);
  await run.fill();
  let batch: Line[] = [];
  let end = reached;
  for (;;) {
    const next = isOwnTurn(own.line, run.line, end) ? own : run;
    const { line } = next;
    if (line === undefined) break;
    if (next === own && causeOf(line) > end && !onMissingCause(line, end)) break;
    if (next === run) end = line.seq;
    batch.push(line);
    if (batch.length >= size) {
      yield batch;
      batch = [];
    }
    if (next.advance()) await next.fill();
  }
  if (batch.length > 0) yield batch;
}

export const isAboutOwnLedger = ({ pen, type }: Line): boolean => pen === 'maintenance' && type.startsWith('ledger.');

const causeOf = (event: Line): number => (isAboutOwnLedger(event) ? 0 : (event.cause ?? 0));

function isOwnTurn(own: Line | undefined, run: Line | undefined, end: number): boolean {
  return own !== undefined && (run === undefined || causeOf(own) <= end);
}

/** The next event of a ledger. */
class Head {
  line: Line | undefined;
  readonly #source: AsyncIterator<Line[]>;
  #lines: Line[] = [];
  #at = 0;

  constructor(source: AsyncIterator<Line[]>) {
    this.#source = source;
  }

  /** Returns whether more has to be fetched. */
  advance(): boolean {
    this.#at += 1;
    this.line = this.#lines[this.#at];
    return this.line === undefined;
  }

  async fill(): Promise<void> {
    do {
      const next = await this.#source.next();
      this.#lines = next.done === true ? [] : next.value;
      this.#at = 0;
      this.line = this.#lines[0];
      if (next.done === true) return;
    } while (this.line === undefined);
  }
}
