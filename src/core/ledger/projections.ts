/**
 * Owns: named folds over a ledger and their snapshots.
 * Does not own: what a fold means (each projection), nor the ledger itself.
 *
 * P1 A snapshot names the last record it includes {seq, offset, hash} and the checksum of its state. One that does not
 *    match the ledger, its checksum or the version of the projection is rebuilt. All include the same record.
 * P2 Snapshots are replaced atomically but not flushed: a lost snapshot only costs time.
 * P3 After a rebuild the files are byte for byte the same as those that were updated incrementally.
 * P4 A durable event waits, for each projection that handles its type, until somebody reads the state, a snapshot is
 *    written, or many events wait. Whoever reads a state therefore gets all that is durable, and what nobody reads
 *    within a step costs the step nothing.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, EventType } from '../schema/event.ts';
import type { Projection } from '../schema/ports.ts';
import { type Position, START } from './line.ts';
import {
  loadProjections,
  SHARED_FILE,
  type StoredProjection,
  storeProjections,
  writeInFolder,
} from './projection-files.ts';

type ProjectionState = StoredProjection & {
  /** Durable events that are not in the state yet. */
  waiting: Event[];
};

export type SavePace = { events: number; ms: number };

/** Saving may take at most this share of the time, however large the state is. */
const MAX_SHARE_OF_TIME = 0.02;

const RETRY_MS = 1000;

/** So many events wait at most: they stay in memory until they are folded. */
const MOST_WAITING = 256;

export class Projections {
  readonly #folder: string;
  readonly #pace: SavePace;
  readonly #projections: ProjectionState[];
  readonly #byName: ReadonlyMap<string, ProjectionState>;
  readonly #byType = new Map<EventType, readonly ProjectionState[]>();
  #waiting = 0;
  /** Events since the last save. */
  #behind = 0;
  /** The record that all stored snapshots include; null when they have to be written whatever they include. */
  #stored: Position | null;
  #timer: NodeJS.Timeout | null = null;
  #waitMs: number;

  /** `folder` is .oka. */
  constructor(folder: string, projections: readonly Projection<unknown>[], pace: SavePace) {
    this.#folder = folder;
    this.#pace = pace;
    this.#waitMs = pace.ms;
    const stored = loadProjections(folder, projections);
    this.#projections = stored.map((each) => ({ ...each, waiting: [] }));
    this.#byName = new Map(this.#projections.map((each) => [each.projection.name, each]));
    this.#stored = this.position.seq > 0 ? this.position : null;
    if (new Set(this.#projections.map(({ position }) => position.hash)).size > 1) this.restart();
  }

  /** The last record that every projection includes; later ones still have to be applied. */
  get position(): Position {
    return this.#projections[0]?.position ?? START;
  }

  /** The state with every durable event. Whoever needs it later asks again. */
  stateOf<State>(projection: Projection<State>): State {
    const each = this.#byName.get(projection.name);
    if (each === undefined) throw new Error(`projection ${projection.name} is not registered here`);
    catchUp(each);
    return each.state as State;
  }

  /** Resets every state; the caller then applies all events from the first on. */
  restart(): void {
    this.#stored = null;
    for (const each of this.#projections)
      Object.assign(each, { state: each.projection.initial(), position: START, waiting: [] });
  }

  /** Deletes every file that a projection wrote; the next save writes them again. */
  deleteFiles(): void {
    this.#stored = null;
    for (const each of this.#projections) {
      for (const file of [each.projection.file ?? SHARED_FILE, ...each.rendered.keys()])
        rmSync(join(this.#folder, file), { force: true });
      each.rendered = new Map();
    }
  }

  /** Folds an event at once, unless it was folded before. */
  apply(event: Event): void {
    for (const each of this.#handling(event.type)) if (event.seq > each.position.seq) fold(each, event);
  }

  #handling(type: EventType): readonly ProjectionState[] {
    const known = this.#byType.get(type);
    if (known !== undefined) return known;
    const found = this.#projections.filter(({ projection: { types } }) => types === undefined || types.includes(type));
    this.#byType.set(type, found);
    return found;
  }

  /** Records the position up to which events have been passed on. */
  setPosition(position: Position): void {
    for (const each of this.#projections) if (position.seq > each.position.seq) each.position = position;
  }

  /** Takes a durable batch (P4) and schedules a save. */
  follow(events: readonly Event[], end: Position): void {
    for (const event of events) for (const each of this.#handling(event.type)) each.waiting.push(event);
    this.setPosition(end);
    this.#waiting += events.length;
    if (this.#waiting >= MOST_WAITING) this.#catchUp();
    this.#behind += events.length;
    if (this.#behind >= this.#pace.events && this.#waitMs <= this.#pace.ms) this.#saveOrTryLater();
    else this.#saveSoon(this.#waitMs);
  }

  #catchUp(): void {
    this.#waiting = 0;
    for (const each of this.#projections) catchUp(each);
  }

  /** A file that cannot be written now, for example on a full disk, is written later; no event is lost. */
  #saveOrTryLater(): void {
    try {
      this.save();
    } catch {
      this.#waitMs = Math.max(this.#pace.ms, RETRY_MS);
      this.#saveSoon(this.#waitMs);
    }
  }

  #saveSoon(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#saveOrTryLater();
    }, ms).unref();
  }

  save(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#behind = 0;
    this.#catchUp();
    const before = performance.now();
    const rendered = this.#projections.map((each) => ({
      each,
      texts: each.projection.render?.(each.state) ?? new Map<string, string>(),
    }));
    if (this.position.hash !== this.#stored?.hash) this.#store(rendered);
    for (const { each, texts } of rendered) this.#writeRendered(each, texts);
    this.#waitMs = Math.max(this.#pace.ms, (performance.now() - before) / MAX_SHARE_OF_TIME);
  }

  #store(rendered: readonly { each: ProjectionState; texts: ReadonlyMap<string, string> }[]): void {
    const { position } = this;
    const states = rendered.map(({ each, texts }) => ({ ...each, files: [...texts.keys()] }));
    this.#stored = null;
    storeProjections(this.#folder, position, states);
    this.#stored = position;
  }

  #writeRendered(each: ProjectionState, texts: ReadonlyMap<string, string>): void {
    for (const [file, text] of texts) if (each.rendered.get(file) !== text) writeInFolder(this.#folder, file, text);
    for (const file of each.rendered.keys()) if (!texts.has(file)) rmSync(join(this.#folder, file), { force: true });
    each.rendered = new Map(texts);
  }
}

function catchUp(each: ProjectionState): void {
  if (each.waiting.length === 0) return;
  const events = each.waiting;
  each.waiting = [];
  for (const event of events) fold(each, event);
}

function fold(each: ProjectionState, event: Event): void {
  each.state = each.projection.apply(each.state, event);
}
