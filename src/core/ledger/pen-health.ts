/** Whether the process that owns a pen responds: the kernel says that it exists, its heartbeat that it works. */
import type { Finding } from '../schema/finding.ts';
import { heartbeatAge, SILENT_MS } from './heartbeat.ts';
import { type Holder, penHolder } from './pen.ts';

/** `silentMs` is how long it has not responded; null while it does, and 0 when it has not responded yet. */
type PenHealth = { holder: Holder; silentMs: number | null };

/** Silent for longer, it is not busy any more but blocked: `oka up` replaces it then. */
const BLOCKED_MS = 60_000;

/**
 * Null when nobody owns the pen. Reads no ledger, so that containers can ask often. A process without a heartbeat does
 * not respond: it has taken the pen a moment ago, or was frozen at that moment.
 */
export function penHealth(ledgerFile: string): PenHealth | null {
  const holder = penHolder(ledgerFile);
  if (holder === null) return null;
  const age = heartbeatAge(ledgerFile, holder);
  return { holder, silentMs: age === null ? 0 : age > SILENT_MS ? age : null };
}

export function describeSilence(ms: number): string {
  return ms === 0 ? 'has not responded yet' : `has not responded for ${Math.round(ms / 1000)} s`;
}

/** What to do about a process that does not respond, outside of `oka up`, which replaces it by itself. */
export function silenceFix({ pid }: Holder, ms: number): string {
  if (ms === 0) return 'It has just started, or was stopped while it started: look again in a moment.';
  return `oka up replaces it after a minute; else end it: kill -9 ${pid}. Nothing is lost: work continues at the next start.`;
}

/** A disk or a machine that is busy stops a process for seconds: worth a look, and nothing is wrong yet. */
export function silenceFinding(what: string, found: string, holder: Holder, silentMs: number): Finding {
  const ms = silentMs === 0 ? Date.now() - Date.parse(holder.since) : silentMs;
  return {
    state: ms > BLOCKED_MS ? 'bad' : 'odd',
    what,
    found: `${found} ${describeSilence(silentMs)}`,
    fix: silenceFix(holder, silentMs),
  };
}
