/**
 * Owns: how often a decision of the proxy is reported. A command that asks a thousand times causes one event, with a count.
 *
 * A decision is reported at once; the same one (run, host, port, verdict) is then only counted for a while. For a run that
 * asks for many hosts, each is reported up to a limit; the rest is counted together.
 */
export type ProxyDecision = {
  run: string | null;
  call: string | null;
  host: string;
  port: number;
  verdict: 'allowed' | 'refused';
  reason: string;
};

export type DecisionLog = {
  report: (decided: ProxyDecision) => void;
  /** Reports what was only counted so far. */
  settle: (run: string | null) => void;
};

type Options = { everyMs?: number; mostHosts?: number; clock: () => number };
type Counted = { last: ProxyDecision; until: number; more: number };

const MAX_REASON = 500;

export function createDecisionLog(
  report: (decided: ProxyDecision) => void,
  { everyMs = 60_000, mostHosts = 100, clock }: Options,
): DecisionLog {
  const runs = new Map<string | null, Map<string, Counted>>();
  const flush = (counted: Counted): void => {
    if (counted.more > 0) report({ ...counted.last, reason: withCount(counted) });
    counted.more = 0;
  };
  const forget = (known: Map<string, Counted>, isOver: (counted: Counted) => boolean): void => {
    for (const [key, counted] of known) {
      if (!isOver(counted)) continue;
      flush(counted);
      known.delete(key);
    }
  };
  return {
    report(decided) {
      const now = clock();
      const known = runs.get(decided.run) ?? new Map<string, Counted>();
      runs.set(decided.run, known);
      forget(known, ({ until }) => until <= now);
      const full = known.size >= mostHosts;
      const last = full && !known.has(decisionKey(decided)) ? { ...decided, host: 'others', port: 0 } : decided;
      const counted = known.get(decisionKey(last));
      if (counted !== undefined) {
        counted.more += 1;
        return;
      }
      known.set(decisionKey(last), { last, until: now + everyMs, more: 0 });
      report({ ...last, reason: last.reason.slice(0, MAX_REASON) });
    },
    settle(run) {
      for (const counted of runs.get(run)?.values() ?? []) flush(counted);
      forget(runs.get(run) ?? new Map(), ({ until }) => until <= clock());
      if (runs.get(run)?.size === 0) runs.delete(run);
    },
  };
}

const decisionKey = ({ host, port, verdict }: ProxyDecision): string => `${verdict} ${host} ${port}`;

const withCount = ({ last, more }: Counted): string =>
  `${last.reason.slice(0, MAX_REASON)} (${more} more ${more === 1 ? 'time' : 'times'})`;
