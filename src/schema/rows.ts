/** Rows by key: what a fold over the ledgers has to remember, and what a query reads. Plain JSON in, plain JSON out. */

export type Range = {
  /** Only keys behind this one, and only keys before this one; both are whole keys and exclusive. */
  after?: string;
  before?: string;
  /** From the last key to the first. */
  reverse?: boolean;
  limit?: number;
};

export type Rows = {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever stores a row knows its type
  get<T>(key: string): T | undefined;
  /** Null removes the row. */
  put(key: string, value: unknown): void;
  /** The rows below a prefix, ordered by key (code units). */
  each<T>(prefix: string, range?: Range): Iterable<[key: string, value: T]>;
};
