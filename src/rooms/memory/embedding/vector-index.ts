/** The port of the vector index. Everything but semantic search works without it. */

export type VectorIndex = {
  /** The model and its hash. */
  readonly model: string;
  /** The vector of a question. */
  embedQuery(query: string): Promise<Float32Array>;
  /** Returns the similarity of each row to a vector, from -1 to 1. The next call overwrites them. */
  similarities(vector: Float32Array): Float32Array;
  /** The row of the entry with this checksum, or -1 when it has no vector. Rows are stable until everything is deleted. */
  rowOf(sum: string): number;
  /** How many vectors there are. */
  size(): number;
  /** Embeds texts, given by the checksums of their entries, until the signal aborts. */
  addTexts(texts: ReadonlyMap<string, string>, options: EmbedOptions): Promise<void>;
  /** Deletes the vectors of other models; called when every entry has a vector of this one. */
  deleteOtherModels(): Promise<void>;
  /** Deletes every vector. */
  deleteAll(): Promise<void>;
  close(): Promise<void>;
};

export type EmbedOptions = {
  signal: AbortSignal;
  /** Called after each text with the milliseconds it took. */
  pause?: ((ms: number) => Promise<void>) | undefined;
};
