/**
 * Sends what happens to an OpenTelemetry collector while a worker runs: each run that ended as spans, each event of interest as
 * a log record. It reads the ledger as `oka watch` does, so no step of a run waits for it.
 *
 * 1. It goes on behind what was sent last. What could not be sent is sent again until it is taken: nothing is left out, and
 *    what is sent twice has the same ids.
 * 2. What the collector refuses for good is left out, and `oka doctor` says so.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Line } from '../../core/schema/event.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { openRowsReader } from '../../kit/house/open-views.ts';
import { pause } from '../../kit/pause.ts';
import { eventsOfRun } from '../../kit/runs/replay-runs.ts';
import { programVersion } from '../../kit/settings.ts';
import { changes, knownNow } from '../../kit/views/changes.ts';
import { storedRun } from '../../kit/views/run-rows.ts';
import { watchedLine } from '../../kit/views/watched-events.ts';
import { logRecordOf, logRequest, type Resource, spansOfRun, traceRequest } from './otlp.ts';

type Wish = { otlp: string; texts: boolean; firstPauseMs?: number };

/** `seq` is the last event that was dealt with; `problem` is why the collector did not take something. */
type Sent = { seq: number; problem: string | null };

const LONGEST_PAUSE_MS = 60_000;
const LONGEST_REQUEST_MS = 10_000;
const LAST_MOMENT_MS = 1000;

export function exportTelemetry(home: Home, wish: Wish): { end: () => Promise<void> } {
  const stop = new AbortController();
  const work = follow(home, wish, stop.signal).catch((error: unknown) => {
    const before = readSent(home);
    if (!stop.signal.aborted && before !== null) writeSent(home, { ...before, problem: messageOf(error) });
  });
  return {
    end: async () => {
      stop.abort();
      await work;
    },
  };
}

export function telemetryFindings(home: Home, otlp: string): Finding[] {
  const problem = readSent(home)?.problem ?? null;
  if (problem === null) return [{ state: 'good', what: 'telemetry', found: `runs are sent to ${otlp}` }];
  return [
    { state: 'odd', what: 'telemetry', found: problem, fix: `See whether a collector takes OTLP over HTTP at ${otlp}` },
  ];
}

async function follow(home: Home, wish: Wish, signal: AbortSignal): Promise<void> {
  const about = { version: programVersion(), home: home.dir };
  const from = readSent(home)?.seq ?? knownNow(home.ledgers, ['run']).run ?? 0;
  writeSent(home, { seq: from, problem: null });
  const reader = openRowsReader(home);
  const outerOf = async (run: string): Promise<string> =>
    await reader.read((rows) => storedRun(rows, run)?.root ?? run);
  try {
    for await (const event of changes(home.ledgers, { run: from }, { signal })) {
      const requests = await requestsOf(home, event, { outerOf, about, texts: wish.texts });
      if (requests.length === 0) continue;
      for (const request of requests) if (!(await send(home, wish, { ...request, signal }))) return;
      writeSent(home, { seq: event.seq, problem: readSent(home)?.problem ?? null });
    }
  } finally {
    await reader.close();
  }
}

type Request = { path: 'v1/traces' | 'v1/logs'; body: object };

async function requestsOf(
  home: Home,
  event: Line,
  { outerOf, about, texts }: { outerOf: (run: string) => Promise<string>; about: Resource; texts: boolean },
): Promise<Request[]> {
  const line = watchedLine(event);
  const outer = event.run === null ? null : await outerOf(event.run);
  const requests: Request[] = [];
  if (line !== null) requests.push({ path: 'v1/logs', body: logRequest(about, [logRecordOf(line, outer, texts)]) });
  if (event.type === 'run.ended' && event.run !== null) {
    const spans = spansOfRun(await eventsOfRun(home, event.run), outer ?? event.run);
    if (spans.length > 0) requests.push({ path: 'v1/traces', body: traceRequest(about, spans) });
  }
  return requests;
}

/** Tries again as long as it may still be taken (1); whether it was dealt with. */
async function send(
  home: Home,
  { otlp, firstPauseMs = 1000 }: Wish,
  { path, body, signal }: Request & { signal: AbortSignal },
): Promise<boolean> {
  const url = new URL(path, otlp.endsWith('/') ? otlp : `${otlp}/`);
  for (let wait = firstPauseMs; !signal.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    const { isTaken, mayBeTaken, says } = await post(url, body, signal);
    if (isTaken || !signal.aborted) noteProblem(home, url, isTaken ? null : says);
    if (isTaken || (!mayBeTaken && !signal.aborted)) return true;
    await pause(wait, signal, { ref: false });
  }
  return false;
}

type Posted = { isTaken: boolean; mayBeTaken: boolean; says: string };

/** A request that is under way when the worker ends gets a moment, since what was taken unseen would be sent twice. */
async function post(url: URL, body: object, end: AbortSignal): Promise<Posted> {
  const cut = new AbortController();
  const cutSoon = (): void => void setTimeout(() => cut.abort(), LAST_MOMENT_MS).unref();
  end.addEventListener('abort', cutSoon, { once: true });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.any([cut.signal, AbortSignal.timeout(LONGEST_REQUEST_MS)]),
    });
    await response.body?.cancel();
    const { ok, status } = response;
    return { isTaken: ok, mayBeTaken: [408, 429].includes(status) || status >= 500, says: `answered ${status}` };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { isTaken: false, mayBeTaken: true, says: `did not answer: ${messageOf(cause)}` };
  } finally {
    end.removeEventListener('abort', cutSoon);
  }
}

/** A problem lasts until something is taken at the same address. */
function noteProblem(home: Home, { href }: URL, says: string | null): void {
  const sent = readSent(home);
  const problem = says === null ? (sent?.problem?.startsWith(href) === true ? null : sent?.problem) : `${href} ${says}`;
  if (sent !== null && problem !== sent.problem) writeSent(home, { ...sent, problem: problem ?? null });
}

const fileIn = ({ oka }: Home): string => join(oka, 'state', 'telemetry.json');

function readSent(home: Home): Sent | null {
  try {
    const { seq, problem } = JSON.parse(readFileSync(fileIn(home), 'utf8')) as Sent;
    return Number.isSafeInteger(seq) && seq >= 0 ? { seq, problem } : null;
  } catch {
    return null; // never written, or not by us: it begins with what happens from now on
  }
}

function writeSent(home: Home, sent: Sent): void {
  makeFolder(join(home.oka, 'state')); // of a home that was never at work
  replaceFile(fileIn(home), `${JSON.stringify(sent)}\n`);
}
