/** The port behind which search by meaning stands; words alone are enough for everything else. */

export type Meaning = {
  /** The model and its hash. */
  readonly model: string;
  /** Closeness of what is known, -1 to 1, by the sum of the piece; the closest first. */
  search(query: string, most: number): Promise<Map<string, number>>;
  /** Whether a piece has a vector. */
  has(sum: string): boolean;
  /** How many vectors there are. */
  size(): number;
  /** Makes vectors for texts, by the sums of their pieces. */
  learn(texts: ReadonlyMap<string, string>): Promise<void>;
  /** Deletes every vector. */
  forget(): Promise<void>;
  close(): Promise<void>;
};
