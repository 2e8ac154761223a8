/** Every seam of the system: what a floor needs from outside, and what is swapped in tests, benches and other products. */
import type { Event } from './event.ts';
import type { ArtifactRef } from './tool.ts';

/** Takes secrets out of text. Applied at the one door where text enters the ledger and the artifacts. */
export type Redact = (text: string) => string;

/** Milliseconds since 1970. */
export type Clock = () => number;

/** Makes written bytes durable. A throw or rejection is fatal for the ledger: the kernel may have dropped the pages. */
export type Flush = {
  now(fd: number): void;
  later(fd: number): Promise<void>;
};

/** A named fold over the ledger; everything a person looks at is one. */
export type Projection<State> = {
  readonly name: string;
  /** Changed whenever apply or render change their result: older snapshots are then made anew. */
  readonly version: number;
  /** Snapshot, relative to .oka. */
  readonly file: string;
  initial(): State;
  /** Pure; may change and return the state it is given. */
  apply(state: State, event: Event): State;
  /** Further text files made from the state, relative to .oka. */
  render?(state: State): ReadonlyMap<string, string>;
};

export type ArtifactStore = {
  put(body: string | Uint8Array, about?: { media?: string; name?: string }): Promise<ArtifactRef>;
  get(ref: Pick<ArtifactRef, 'sha256'>): Promise<Buffer>;
};
