/** The port behind which search by meaning stands; words alone are enough for everything else. */

export type Meaning = {
  /** The model and its hash. */
  readonly model: string;
  /** Closeness of what is known, -1 to 1, by row, the closest first. `allowed` has a 1 for each row that may be given. */
  search(query: string, most: number, allowed?: Uint8Array): Promise<Map<number, number>>;
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
