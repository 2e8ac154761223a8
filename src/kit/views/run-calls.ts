/** The calls of a run, each with how it ended, why it was made, what it cost and where it connected to. Pure. */
import type { SideEffectClass, Usage } from '../../core/schema/effect.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import type { ArtifactRef, OutcomeStatus } from '../../core/schema/tool.ts';

export type RunCall = {
  /** The events that started and ended it; null while it is open. */
  seq: number;
  ended_seq: number | null;
  run: string;
  call: string;
  /** Null for a hook, and for a call that was made within a step. */
  node: string | null;
  attempt: number;
  tool: string;
  class: SideEffectClass;
  input: Json;
  status: OutcomeStatus | 'open';
  output: Json;
  error: string | null;
  started: string;
  ended: string | null;
  /** Without the time in which the run was not at work. */
  ms: number | null;
  /** What the worker said about the turn in which it was made; empty when no worker decided it. */
  rationale: string;
  usage: Usage;
  artifacts: ArtifactRef[];
  egress: { host: string; port: number; verdict: 'allowed' | 'refused'; reason: string }[];
  /** Names of the secrets that it was given. */
  secrets: string[];
};

/** In the order in which they started. The events may be those of several runs, in the order of the ledger. */
export function foldCalls(events: readonly Event[]): RunCall[] {
  const calls = new Map<string, RunCall>();
  const rationales = new Map<string, string>();
  const skipped = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'decision.made')
      rationales.set(`${event.run}/${event.data.node}`, event.data.decision.rationale);
    else if (event.type === 'call.started') {
      calls.set(event.data.call, startCall(event, rationales.get(`${event.run}/${event.data.node}`) ?? ''));
      skipped.set(event.data.call, 0);
    } else if (event.type === 'call.ended') {
      endCall(calls.get(event.data.call), event, skipped.get(event.data.call) ?? 0);
      skipped.delete(event.data.call);
    } else if (event.type === 'run.time_skipped') {
      for (const [call, ms] of skipped) if (calls.get(call)?.run === event.run) skipped.set(call, ms + event.data.ms);
    } else if (event.type === 'egress.decided' && event.data.call !== undefined) {
      const { host, port, verdict, reason } = event.data;
      calls.get(event.data.call)?.egress.push({ host, port, verdict, reason });
    } else if (event.type === 'secret.used') calls.get(event.data.call)?.secrets.push(event.data.name);
  }
  return [...calls.values()];
}

function startCall({ seq, at, run, data }: Extract<Event, { type: 'call.started' }>, rationale: string): RunCall {
  const { call, node, attempt, tool, class: effect, judged, input } = data;
  return {
    seq,
    ended_seq: null,
    run: run ?? '',
    call,
    node,
    attempt,
    tool,
    class: judged ?? effect,
    input,
    status: 'open',
    output: null,
    error: null,
    started: at,
    ended: null,
    ms: null,
    rationale,
    usage: {},
    artifacts: [],
    egress: [],
    secrets: [],
  };
}

function endCall(
  call: RunCall | undefined,
  { seq, at, data }: Extract<Event, { type: 'call.ended' }>,
  skippedMs: number,
): void {
  if (call === undefined) return;
  const { status, output, error = null, usage = {}, artifacts = [] } = data;
  const ms = Math.max(0, Date.parse(at) - Date.parse(call.started) - skippedMs);
  Object.assign(call, { ended_seq: seq, status, output, error, ended: at, ms, usage, artifacts });
}
