/** The port behind which search by meaning stands; words alone are enough for everything else. */

export type Meaning = {
  /** The model and its hash. */
  readonly model: string;
  /** Closeness of what is known, -1 to 1, by the key of the embedded text; the closest first. */
  search(query: string, most: number): Promise<Map<string, number>>;
  /** Which of these keys have no vector yet. */
  missing(keys: readonly string[]): Promise<string[]>;
  /** Makes vectors for texts, by key. */
  learn(texts: ReadonlyMap<string, string>): Promise<void>;
  /** Deletes every vector. */
  forget(): Promise<void>;
  close(): Promise<void>;
};
