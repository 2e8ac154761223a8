/** Work that waits for its turn to write to the desk. */
export type InTurn = <T>(work: () => Promise<T>, stop?: { signal: AbortSignal; value: T }) => Promise<T>;
