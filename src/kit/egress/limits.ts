/** How much of everything the proxy gives a client. */
export type Limits = {
  headerBytes: number;
  /** For the head of a request to arrive. */
  headersMs: number;
  /** For resolving a name and connecting. */
  connectMs: number;
  /** For a connection on which nothing moves. */
  idleMs: number;
  /** For any connection. */
  lifeMs: number;
  upBytes: number;
  downBytes: number;
  connections: number;
};

export const LIMITS: Limits = {
  headerBytes: 16_384,
  headersMs: 10_000,
  connectMs: 15_000,
  idleMs: 120_000,
  lifeMs: 3_600_000,
  upBytes: 268_435_456,
  downBytes: 4_294_967_296,
  connections: 512,
};
