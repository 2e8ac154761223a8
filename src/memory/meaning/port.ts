/** The port behind which search by meaning stands; words alone are enough for everything else. */

export type Meaning = {
  /** The model and its hash. */
  readonly model: string;
  /**
   * Of all that is known, -1 to 1, by row. `allowed` has a 1 for each row that is asked for, a 2 where it must be exact;
   * the others are NaN.
   */
  closeness(query: string, allowed?: Uint8Array): Promise<Float32Array>;
  /** The row of the piece with this sum; -1 when it has no vector. Rows stay what they are until everything is forgotten. */
  rowOf(sum: string): number;
  /** How many vectors there are. */
  size(): number;
  /** Makes vectors for texts, by the sums of their pieces, until it is told to stop. */
  learn(texts: ReadonlyMap<string, string>, ways: LearnWays): Promise<void>;
  /** Deletes the vectors of other models; called when everything has one of this model. */
  forgetOthers(): Promise<void>;
  /** Deletes every vector. */
  forget(): Promise<void>;
  close(): Promise<void>;
};

export type LearnWays = {
  signal: AbortSignal;
  /** Called after each text with what it took. */
  pause?: ((ms: number) => Promise<void>) | undefined;
};
