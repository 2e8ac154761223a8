/** Settings of a home in which nothing is written because time has passed, so that work can be counted. */
export const quietConfig = {
  ledger: { snapshot_ms: 60_000, snapshot_events: 1_000_000 },
  inbox: { settle_ms: 20, rescan_ms: 200 },
  memory: { cap: 0, vectors: false },
};
