/** Owns: the fold of where commands wanted to go: the latest decisions, and a row a host with how often it was allowed. */
import type { Event } from '../../core/schema/event.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { seqKey } from './run-rows.ts';

type Decided = Extract<Event, { type: 'egress.decided' }>;
type EgressDecision = Decided['data'] & { seq: number; at: string; run: string | null };

/** `runs`: the latest that asked, the latest last. */
type EgressHost = {
  host: string;
  port: number;
  allowed: number;
  refused: number;
  last: string;
  reason: string;
  runs: string[];
};

const allPrefix = 'egress/all/';
const hostPrefix = 'egress/host/';
const MOST_RUNS = 10;

export const egressView: View = {
  name: 'egress',
  version: 1,
  types: ['egress.decided'],
  take: ({ event }, rows) => {
    if (event.type !== 'egress.decided') return;
    const { seq, at, run, data } = event;
    rows.put(allPrefix + seqKey(seq), { seq, at, run, ...data } satisfies EgressDecision);
    noteHost(event, rows);
  },
};

/** The latest decisions, the latest first; `before` an event for the next page. */
export function listEgress(
  rows: Rows,
  { before, limit }: { before?: number | undefined; limit: number },
): EgressDecision[] {
  const range = { reverse: true, limit, ...(before === undefined ? {} : { before: allPrefix + seqKey(before) }) };
  return [...rows.each<EgressDecision>(allPrefix, range)].map(([, decision]) => decision);
}

/** Hosts in the order of their names. */
export const egressHosts = (rows: Rows, limit: number): EgressHost[] =>
  [...rows.each<EgressHost>(hostPrefix, { limit })].map(([, host]) => host);

function noteHost({ at, run, data: { host, port, verdict, reason } }: Decided, rows: Rows): void {
  const key = `${hostPrefix}${host}:${port}`;
  const row = rows.get<EgressHost>(key) ?? { host, port, allowed: 0, refused: 0, last: at, reason, runs: [] };
  const runs = run === null ? row.runs : [...row.runs.filter((other) => other !== run), run].slice(-MOST_RUNS);
  rows.put(key, { ...row, [verdict]: row[verdict] + 1, last: at, reason, runs });
}
