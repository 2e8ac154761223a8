/**
 * Owns: one ledger file and its pen (the exclusive writer lock). Everything durable in oka is an event appended here.
 * Does not own: what events mean (core/schema/event.ts), the bytes of a record (line.ts), reading for others (read.ts).
 *
 * L1 Folds see exactly what was written: validated, redacted, numbered.
 * L2 There is one pen per file: a lock that the kernel releases when its process dies.
 * L3 The durable unit is a batch: staged events are written together and flushed once. While a flush is in flight,
 *    everything else queues as finished records: nothing is written before that flush has completed, so a record may
 *    state that it has. An acknowledged event is never lost.
 * L5 No secret reaches the file: every event goes through `stage`, which redacts it.
 * L6 A failed write is rolled back and rejects everything staged. A failed flush is fatal: nothing is acknowledged after.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, OkaError } from '../schema/errors.ts';
import { checkEvent, type Event, type Line, type NewEvent, type Pen } from '../schema/event.ts';
import type { Clock, Flush, Redact } from '../schema/ports.ts';
import {
  type AnchorWriter,
  anchorWriter,
  distrustError,
  type LedgerAnchors,
  type Rollback,
  rollbackOfMissingFile,
  rolledBackError,
} from './anchor.ts';
import { diskFlush } from './disk.ts';
import { withHeartbeat } from './heartbeat.ts';
import { MAX_LINE_BYTES, type Position, Sealer } from './line.ts';
import { isDiskFull, LiveFile } from './live-file.ts';
import { type PenLock, takePen } from './pen.ts';
import { type Filter, readEvents } from './read-events.ts';
import { recover } from './recover.ts';
import { type Reserve, diskReserve } from './disk-reserve.ts';

export type LedgerOptions = {
  redact: Redact;
  clock?: Clock;
  flush?: Flush;
  reserveBytes?: number;
  /** The process does one thing and ends. */
  isBrief?: boolean;
  /** It sends its heartbeats itself, once it can work. */
  isQuiet?: boolean;
  /** The position up to which the caller knows everything. It is checked; later events are passed to `onLine`. */
  from?: Position | null;
  /** Called when `from` does not match this ledger: `onLine` then gets all events from the first on. */
  onRestart?: () => void;
  onLine?: (line: Line) => void;
  /** Called for every batch once it is durable, in order. */
  onBatch?: BatchListener;
  /** What the ledger must contain, and where its last durable record is noted. */
  anchors?: LedgerAnchors;
  /** Given when a person has decided to go on with a ledger that has lost claimed records; called with what is recorded. */
  acceptRollback?: (rollback: Rollback) => void;
};

type BatchListener = (events: readonly Event[], end: Position) => void;

type Batch = {
  events: Event[];
  waiters: number;
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
};

export async function openLedger(file: string, pen: Pen, options: LedgerOptions): Promise<Ledger> {
  const clock = options.clock ?? Date.now;
  const claims = options.anchors?.claims ?? [];
  if (options.acceptRollback === undefined) assertTrusted(file, options.anchors);
  const anchors = options.anchors === undefined ? null : anchorWriter(options.anchors.write);
  const held = penWithAnchor(withHeartbeat(takePen(file, clock(), options.isBrief), file, options.isQuiet), anchors);
  try {
    const flush = options.flush ?? diskFlush;
    const live = new LiveFile(file, flush);
    const accepted = options.acceptRollback !== undefined;
    const recovered = await recover(file, live.fd, flush, { ...options, claims, acceptRollback: accepted }).catch(
      (error: unknown) => {
        live.close();
        throw error;
      },
    );
    live.setBase(recovered.base);
    const onBatch: BatchListener = (events, end) => {
      anchors?.note(end);
      options.onBatch?.(events, end);
    };
    const ledger = new Ledger({ ...options, onBatch, live, pen, held, clock, end: recovered.end });
    anchors?.note(recovered.end);
    anchors?.flush();
    if (recovered.cut !== null) await recordOrClose(ledger, { type: 'ledger.repaired', data: recovered.cut });
    const rollback = recovered.rollback ?? distrustedEnd(options.anchors, recovered.end);
    if (rollback !== null) {
      await recordOrClose(ledger, rollbackEvent(rollback));
      options.acceptRollback?.(rollback);
    }
    return ledger;
  } catch (error) {
    held.release();
    throw error;
  }
}

/** Before the file is created, if it is missing. */
function assertTrusted(file: string, { claims, distrust }: Partial<LedgerAnchors> = {}): void {
  if (distrust !== undefined) throw distrustError(file, distrust);
  const missing = existsSync(file) ? null : rollbackOfMissingFile(claims ?? []);
  if (missing !== null) throw rolledBackError(file, missing);
}

/** A person went on although the anchor could not be trusted; nothing is known to be missing. */
function distrustedEnd(anchors: LedgerAnchors | undefined, end: Position): Rollback | null {
  const distrust = anchors?.distrust;
  return distrust === undefined ? null : { claim: { ...end, source: distrust }, found: end, missing: 0 };
}

/** The last anchor is written before another process can take the pen. */
function penWithAnchor(pen: PenLock, anchors: AnchorWriter | null): PenLock {
  return {
    ...pen,
    release: () => {
      anchors?.flush();
      pen.release();
    },
  };
}

function rollbackEvent({ claim, found, missing }: Rollback): NewEvent {
  const data = {
    expected: { seq: claim.seq, hash: claim.hash },
    found: { seq: found.seq, hash: found.hash },
    missing,
    source: claim.source.slice(0, 1000),
  };
  return { type: 'ledger.rolled_back', data };
}

async function recordOrClose(ledger: Ledger, event: NewEvent): Promise<void> {
  try {
    await ledger.append(event);
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

const LOOK_EVERY_MS = 1;
const MIN_GROUP = 32;
/** With about this many events, processing them takes longer than a flush. */
const MANY_EVENTS = 100;

export class Ledger {
  readonly file: string;
  readonly #pen: Pen;
  readonly #held: PenLock;
  readonly #live: LiveFile;
  /** Builds the records of the batch that is being staged. */
  readonly #sealer = new Sealer();
  readonly #clock: Clock;
  readonly #redact: Redact;
  readonly #reserve: Reserve;
  readonly #onBatch: BatchListener | undefined;
  #end: Position;
  /** The last record staged. */
  #staged: Position;
  /** How much will be durable when the staged batch is written; includes what is in flight. */
  #durableBefore: number;
  #batch = emptyBatch();
  #flight: Promise<void> | null = null;
  #scheduled = false;
  readonly #commitNow = (): void => this.#commit();
  #grouping = false;
  /** Once this many callers wait they get a flush of their own; while it is in flight, the others do their work. */
  #enough = MIN_GROUP;
  #full = false;
  #looksAgain = 0;
  /** Events that were staged and could not be written, with the reason. */
  readonly #lost = new WeakMap<Event, unknown>();
  #knownRun: string | null = null;
  #second = { ms: Number.NaN, text: '' };
  #state: { open: true } | { open: false; error: OkaError } = { open: true };

  constructor(
    held: Omit<LedgerOptions, 'from' | 'flush'> & {
      live: LiveFile;
      pen: Pen;
      held: PenLock;
      clock: Clock;
      end: Position;
    },
  ) {
    this.file = held.live.path;
    this.#live = held.live;
    this.#pen = held.pen;
    this.#held = held.held;
    this.#clock = held.clock;
    this.#redact = held.redact;
    this.#onBatch = held.onBatch;
    this.#end = held.end;
    this.#staged = held.end;
    this.#durableBefore = held.end.offset;
    this.#reserve = diskReserve(
      join(dirname(this.file), 'state', `${held.pen}.reserve`),
      held.reserveBytes ?? 64 * 1024,
    );
    this.#full = !this.#regainReserve();
  }

  /** Why the ledger closed by itself; null while it is open, and after `close`. Only opening it again helps. */
  get failure(): OkaError | null {
    return this.#state.open || this.#state.error.code === 'ledger-closed' ? null : this.#state.error;
  }

  /** Closes the ledger when its lock is gone (L2), also while nothing is written. */
  checkPen(): void {
    if (this.#state.open) this.#attempt(() => this.#held.assertOwned());
  }

  /** The last durable record. */
  get end(): Position {
    return this.#end;
  }

  /** Checks, redacts and numbers an event. It is durable when a later `flush` has resolved. */
  stage(event: NewEvent): Event {
    if (!this.#state.open) throw this.#state.error;
    const checked = checkEvent(event);
    this.#assertNoSecret(checked.run);
    const text = JSON.stringify(checked.data);
    const clean = this.#redact(text);
    if (clean.length > MAX_LINE_BYTES / 4)
      throw new OkaError(
        'invalid-event',
        `${event.type} is larger than ${MAX_LINE_BYTES / 4} characters; store its body as an artifact`,
      );
    const data: unknown = clean === text ? checked.data : JSON.parse(clean);
    const at = this.#timestamp();
    const staged = {
      seq: this.#staged.seq + 1,
      type: checked.type,
      run: checked.run,
      at,
      pen: this.#pen,
      cause: checked.cause,
      v: checked.v,
      data,
    } as Event;
    this.#seal(staged, clean);
    this.#batch.events.push(staged);
    return staged;
  }

  #seal(event: Event, data: string): void {
    const before = this.#sealer.length;
    const hash = this.#sealer.add(event, data, this.#durableBefore, this.#staged.hash);
    this.#staged = { seq: event.seq, offset: this.#staged.offset + this.#sealer.length - before, hash };
  }

  /**
   * Resolves when everything staged so far is durable. A caller that stages without flushing at once passes those
   * events: they may have been written with the batch of another caller, and rejected with it.
   */
  flush(mine: readonly Event[] = []): Promise<void> {
    if (!this.#state.open) return Promise.reject(this.#state.error);
    const lost = mine.find((event) => this.#lost.has(event));
    if (lost !== undefined) return Promise.reject(this.#lost.get(lost));
    const batch = this.#batch;
    if (batch.events.length === 0) return this.#landed();
    batch.waiters += 1;
    if (batch.waiters >= this.#enough && this.#grouping && this.#flight === null) this.#commit();
    else this.#schedule();
    return batch.promise;
  }

  /** Whether an event was staged and could not be written. */
  isLost(event: Event): boolean {
    return this.#lost.has(event);
  }

  append(event: NewEvent): Promise<Event>;
  append(events: readonly NewEvent[]): Promise<Event[]>;
  async append(events: NewEvent | readonly NewEvent[]): Promise<Event | Event[]> {
    const staged = Array.isArray(events)
      ? events.map((event: NewEvent) => this.stage(event))
      : this.stage(events as NewEvent);
    await this.flush(Array.isArray(staged) ? staged : [staged]);
    return staged;
  }

  /** Durable events in order. */
  read(filter: Filter = {}): AsyncGenerator<Line> {
    return readEvents(this.file, { ...filter, to: Math.min(filter.to ?? Number.POSITIVE_INFINITY, this.#end.seq) });
  }

  /** Delays every write while archiving replaces the live file by its own end; `replace` returns its new base. */
  async exchange(replace: () => Promise<number>): Promise<void> {
    while (this.#flight !== null || this.#batch.events.length > 0) await this.flush();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#flight = promise;
    try {
      this.#live.reopen(await replace());
    } finally {
      this.#flight = null;
      resolve();
      if (this.#batch.waiters > 0) this.#schedule();
    }
  }

  async close(): Promise<void> {
    if (!this.#state.open) return;
    try {
      while (this.#flight !== null || this.#batch.events.length > 0) await this.flush();
    } finally {
      if (this.#state.open) this.#shut(new OkaError('ledger-closed', `${this.file} is closed`));
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#flight !== null) return;
    this.#scheduled = true;
    if (this.#grouping) setImmediate(this.#commitNow);
    else queueMicrotask(this.#commitNow);
  }

  #commit(): void {
    this.#scheduled = false;
    if (!this.#state.open || this.#flight !== null || this.#batch.events.length === 0) return;
    if (!this.#write()) return;
    const batch = this.#takeBatch();
    this.#grouping = batch.waiters > 1;
    if (this.#grouping) this.#flushLater(batch, this.#staged);
    else {
      this.#enough = MIN_GROUP;
      this.#flushNow(batch, this.#staged);
    }
  }

  /** The flush in flight may contain events of this caller that the flush of another included. */
  async #landed(): Promise<void> {
    await this.#flight;
    if (!this.#state.open) throw this.#state.error;
  }

  /** False when the batch could not be written and was rejected. */
  #write(): boolean {
    return this.#attempt(() => {
      this.#assertOurs();
      if (this.#full) this.#noteFreed();
      this.#appendStaged();
    });
  }

  /**
   * Batches of one millisecond share a look at the paths: no other process opens the ledger within it, and what it would
   * append, cut, remove or put in its place is seen before every single write.
   */
  #assertOurs(): void {
    const now = performance.now();
    if (now < this.#looksAgain) return this.#live.assertUnchanged(this.#end.offset);
    this.#held.assertOwned();
    this.#live.assertInPlace(this.#end.offset);
    this.#looksAgain = now + LOOK_EVERY_MS;
  }

  #attempt(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      if (error instanceof OkaError && error.code === 'flush-failed') this.#break(error);
      this.#rejectStaged(error);
      return false;
    }
  }

  #appendStaged(): void {
    this.#live.append(this.#sealer.bytes, this.#end.offset);
    this.#sealer.clear();
  }

  #takeBatch(): Batch {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    return batch;
  }

  #flushNow(batch: Batch, end: Position): void {
    try {
      this.#live.flushNow();
    } catch (error) {
      this.#breakBy(error, batch);
      return;
    }
    this.#settle(batch, end);
  }

  #flushLater(batch: Batch, end: Position): void {
    this.#durableBefore = end.offset;
    this.#flight = this.#live.flushLater().then(
      () => {
        this.#flight = null;
        this.#settle(batch, end);
        this.#enough = nextGroupSize(batch, this.#batch);
        if (this.#batch.waiters >= this.#enough)
          this.#commit(); // starts the next write before those who waited continue
        else if (this.#batch.waiters > 0) this.#schedule();
      },
      (error: unknown) => {
        this.#flight = null;
        this.#breakBy(error, batch);
      },
    );
  }

  #settle(batch: Batch, end: Position): void {
    this.#end = end;
    this.#durableBefore = end.offset;
    this.#onBatch?.(batch.events, end);
    batch.resolve();
  }

  #breakBy(cause: unknown, batch: Batch): void {
    const error = new OkaError('flush-failed', `${this.file} could not be flushed to disk: ${messageOf(cause)}`, {
      fix: 'Check the disk, then start again: the ledger is then read from disk and checked.',
      cause,
    });
    batch.reject(this.#break(error));
  }

  /** Nothing is acknowledged after this. */
  #break(error: OkaError): OkaError {
    this.#shut(error);
    return error;
  }

  #shut(error: OkaError): void {
    this.#state = { open: false, error };
    this.#batch.reject(error);
    this.#live.close();
    this.#held.release();
  }

  /** A failed write rejects everything that was staged. */
  #rejectStaged(error: unknown): void {
    const refused = this.#takeBatch();
    this.#staged = this.#end;
    this.#sealer.clear();
    for (const event of refused.events) this.#lost.set(event, error);
    refused.reject(error);
    if (this.#state.open && error instanceof OkaError && error.code === 'disk-full')
      this.#noteFull(refused.events.length);
    if (error instanceof OkaError && error.code === 'ledger-replaced') this.#break(error);
  }

  #noteFull(refused: number): void {
    if (this.#full) return;
    this.#full = true;
    this.#reserve.release();
    this.stage({ type: 'ledger.disk_full', data: { refused } });
    if (this.#attempt(() => this.#appendStaged())) this.#flushNow(this.#takeBatch(), this.#staged);
  }

  /** Nothing is written until the reserve could be allocated again. */
  #noteFreed(): void {
    if (!this.#regainReserve())
      throw new OkaError('disk-full', `${this.file}: the disk is still full`, {
        fix: 'Free some space; work then continues automatically.',
      });
    this.#full = false;
    this.stage({ type: 'ledger.disk_freed', data: {} });
  }

  #regainReserve(): boolean {
    try {
      this.#reserve.regain();
      return true;
    } catch (error) {
      if (isDiskFull(error) || (error instanceof OkaError && error.code === 'disk-full')) return false;
      throw error;
    }
  }

  /** Many events share a second; its text is formatted once. */
  #timestamp(): string {
    const now = Math.trunc(this.#clock());
    const ms = now % 1000;
    if (now - ms !== this.#second.ms) this.#second = { ms: now - ms, text: new Date(now).toISOString().slice(0, -4) };
    return `${this.#second.text}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
  }

  #assertNoSecret(run: string | null): void {
    if (run === this.#knownRun) return;
    if (run !== null && this.#redact(run) !== run)
      throw new OkaError('invalid-event', 'the run id looks like a secret and is refused');
    this.#knownRun = run;
  }
}

function emptyBatch(): Batch {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined); // waiters get it, if there are any
  return { events: [], waiters: 0, promise, resolve, reject };
}

/** Half of the waiting callers when they have much to do: two flushes, each overlapping with work, are faster. */
function nextGroupSize(landed: Batch, waiting: Batch): number {
  const isMuch = landed.events.length + waiting.events.length >= MANY_EVENTS;
  return isMuch ? Math.max(MIN_GROUP, (landed.waiters + waiting.waiters) / 2) : Number.POSITIVE_INFINITY;
}
