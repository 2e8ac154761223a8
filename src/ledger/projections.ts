/**
 * Owns: keeping named folds over a ledger and their snapshots.
 * Does not own: what a fold means (each projection), nor the ledger itself.
 *
 * P1 A snapshot names the record it includes {seq, offset, hash} and the sum of its state; one that does not fit the
 *    ledger, its own sum or the projection's version is thrown away and made anew. All include the same record.
 * P2 Snapshots are replaced in one step, without a flush of their own: losing one costs time, never truth.
 * P3 The files after a rebuild are byte for byte those that were kept incrementally.
 */
import { hash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Event } from '../schema/event.ts';
import type { Projection } from '../schema/ports.ts';
import { lstatIfPresent, makeFolder, replaceFile } from './disk.ts';
import { type Position, START } from './line.ts';

type ProjectionState = {
  projection: Projection<unknown>;
  state: unknown;
  position: Position;
  rendered: Map<string, string>;
};
type Snapshot = Position & {
  projection: string;
  version: number;
  files?: readonly string[];
  sum: string;
  state: unknown;
};

export type SavePace = { events: number; ms: number };

/** A save may take at most this share of the time, however large the state has grown. */
const MAX_SHARE_OF_TIME = 0.02;

const RETRY_MS = 1000;

export class Projections {
  readonly #folder: string;
  readonly #pace: SavePace;
  readonly #kept: ProjectionState[];
  #behind = 0;
  #timer: NodeJS.Timeout | null = null;
  #waitMs: number;

  /** `folder` is .oka. */
  constructor(folder: string, projections: readonly Projection<unknown>[], pace: SavePace) {
    this.#folder = folder;
    this.#pace = pace;
    this.#waitMs = pace.ms;
    this.#kept = projections.map((projection) => loadProjection(folder, projection));
    if (new Set(this.#kept.map(({ position }) => position.hash)).size > 1) this.restart();
  }

  /** The record that every projection includes; what lies behind it has to be applied. */
  get position(): Position {
    return this.#kept[0]?.position ?? START;
  }

  stateOf<State>(projection: Projection<State>): State {
    const kept = this.#kept.find((candidate) => candidate.projection.name === projection.name);
    if (kept === undefined) throw new Error(`projection ${projection.name} is not kept here`);
    return kept.state as State;
  }

  /** Forgets everything; the next events to come are those from the first on. */
  restart(): void {
    for (const kept of this.#kept) Object.assign(kept, { state: kept.projection.initial(), position: START });
  }

  /** Deletes every file a projection made; the next save makes them again. */
  deleteFiles(): void {
    for (const kept of this.#kept) {
      for (const file of [kept.projection.file, ...kept.rendered.keys()])
        rmSync(join(this.#folder, file), { force: true });
      kept.rendered = new Map();
    }
  }

  apply(event: Event): void {
    for (const kept of this.#kept) {
      if (event.seq > kept.position.seq) kept.state = kept.projection.apply(kept.state, event);
    }
  }

  /** Says which record the events applied so far end with. */
  setPosition(position: Position): void {
    for (const kept of this.#kept) if (position.seq > kept.position.seq) kept.position = position;
  }

  /** Applies a durable batch and sees to it that the files follow soon. */
  follow(events: readonly Event[], end: Position): void {
    for (const event of events) this.apply(event);
    this.setPosition(end);
    this.#behind += events.length;
    if (this.#behind >= this.#pace.events && this.#waitMs <= this.#pace.ms) this.#saveOrTryLater();
    else this.#saveSoon(this.#waitMs);
  }

  /** A file that cannot be written now, on a full disk say, costs no event: it is written later. */
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
    const before = performance.now();
    for (const kept of this.#kept) this.#write(kept);
    this.#waitMs = Math.max(this.#pace.ms, (performance.now() - before) / MAX_SHARE_OF_TIME);
  }

  #write(kept: ProjectionState): void {
    const files = kept.projection.render?.(kept.state) ?? new Map<string, string>();
    writeInFolder(this.#folder, kept.projection.file, renderSnapshot(kept, [...files.keys()]));
    for (const [file, text] of files) if (kept.rendered.get(file) !== text) writeInFolder(this.#folder, file, text);
    for (const file of kept.rendered.keys()) if (!files.has(file)) rmSync(join(this.#folder, file), { force: true });
    kept.rendered = new Map(files);
  }
}

function loadProjection(folder: string, projection: Projection<unknown>): ProjectionState {
  const snapshot = parseSnapshot(readIfRegular(join(folder, projection.file)) ?? 'null');
  const rendered = new Map(renderedFilesOf(snapshot).map((file) => [file, readIfRegular(join(folder, file)) ?? '']));
  if (snapshot === null || !isTrustworthy(snapshot, projection))
    return { projection, state: projection.initial(), position: START, rendered };
  const { seq, offset, hash, state } = snapshot;
  return { projection, state, position: { seq, offset, hash }, rendered };
}

/** P1, as far as it can be seen without the ledger. */
function isTrustworthy(snapshot: Snapshot, { name, version }: Projection<unknown>): boolean {
  return (
    snapshot.projection === name &&
    snapshot.version === version &&
    snapshot.seq > 0 &&
    snapshot.sum === checksumOf(serializeState(snapshot.state))
  );
}

/** The further files a snapshot made, even one that is not trusted: they are replaced or removed with it. */
function renderedFilesOf(snapshot: Snapshot | null): string[] {
  const files: unknown = snapshot?.files;
  return Array.isArray(files)
    ? files.filter((file) => typeof file === 'string' && !file.split('/').includes('..'))
    : [];
}

function parseSnapshot(text: string): Snapshot | null {
  try {
    return JSON.parse(text) as Snapshot | null;
  } catch {
    return null;
  }
}

/** The state is made to text once, for its sum and for the file. */
function renderSnapshot({ projection, state, position }: ProjectionState, files: readonly string[]): string {
  const { seq, offset, hash } = position;
  const text = serializeState(state);
  const about: Omit<Snapshot, 'state'> = {
    projection: projection.name,
    version: projection.version,
    seq,
    offset,
    hash,
    ...(files.length === 0 ? {} : { files }),
    sum: checksumOf(text),
  };
  return `${JSON.stringify(about, null, 1).slice(0, -2)},\n "state": ${text}\n}\n`;
}

function serializeState(state: unknown): string {
  return JSON.stringify(state, null, 1) ?? 'null';
}

function checksumOf(text: string): string {
  return hash('sha256', text);
}

function readIfRegular(file: string): string | null {
  return lstatIfPresent(file)?.isFile() ? readFileSync(file, 'utf8') : null;
}

function writeInFolder(folder: string, file: string, text: string): void {
  const path = join(folder, file);
  makeFolder(dirname(path));
  replaceFile(path, text);
}
