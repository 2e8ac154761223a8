/**
 * Sends what happens to an OpenTelemetry collector while a worker runs: each run that ended as spans, each event of interest as
 * a log record. It reads the ledger as `oka watch` does, so no step of a run waits for it.
 *
 * 1. It goes on behind what was sent last. What could not be sent is sent again until it is taken: nothing is left out, and
 *    what is sent twice has the same ids.
 * 2. What the collector refuses for good is left out, and `oka doctor` says so.
 * 3. An error that nobody expected ends nothing: after a pause it goes on at the same event, and without that event when it
 *    fails there again and again. `oka doctor` says either.
 */
import { existsSync, readFileSync } from 'node:fs';
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

/** What is dealt with now, beside what is written: an event, how often it failed, and whether something is being tried again. */
type Progress = Sent & { at: number | null; failures: number; isStuck: boolean };

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const MOST_FAILURES = 6;
const LONGEST_REQUEST_MS = 10_000;
const LAST_MOMENT_MS = 1000;

export function exportTelemetry(home: Home, wish: Wish): { end: () => Promise<void> } {
  const stop = new AbortController();
  const work = keepSending(home, wish, stop.signal);
  return {
    end: async () => {
      stop.abort();
      await work;
    },
  };
}

export function telemetryFindings(home: Home, otlp: string): Finding[] {
  const sent = readSent(home);
  const isLost = sent === null && existsSync(fileIn(home));
  const problem = isLost ? `${fileIn(home)} cannot be read, so nothing is sent` : (sent?.problem ?? null);
  if (problem === null) return [{ state: 'good', what: 'telemetry', found: `runs are sent to ${otlp}` }];
  return [
    { state: 'odd', what: 'telemetry', found: problem, fix: `See whether a collector takes OTLP over HTTP at ${otlp}` },
  ];
}

/** Goes on behind the last event that was dealt with, whatever went wrong (3). */
async function keepSending(home: Home, wish: Wish, signal: AbortSignal): Promise<void> {
  const progress: Progress = { seq: -1, problem: null, at: null, failures: 0, isStuck: false };
  const { firstPauseMs = FIRST_PAUSE_MS } = wish;
  for (let wait = firstPauseMs; !signal.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    const before = progress.seq;
    try {
      if (progress.seq === -1) progress.seq = readSent(home)?.seq ?? knownNow(home.ledgers, ['run']).run ?? 0;
      writeSent(home, progress);
      await follow(home, wish, progress, signal);
    } catch (error) {
      noteFailure(progress, messageOf(error));
      if (progress.seq > before) wait = firstPauseMs;
      await pause(wait, signal, { ref: false });
    }
  }
}

/** It is written when sending goes on: what failed may be writing. */
function noteFailure(progress: Progress, why: string): void {
  const { at } = progress;
  if (at !== null) progress.failures += 1;
  progress.isStuck = at === null || progress.failures < MOST_FAILURES;
  if (at !== null && !progress.isStuck) progress.seq = at;
  progress.problem = progress.isStuck
    ? `nothing is sent${at === null ? '' : ` since event ${at}`}, and it is tried again: ${why}`
    : `event ${at} was left out: ${why}`;
  if (!progress.isStuck) progress.failures = 0;
}

async function follow(home: Home, wish: Wish, progress: Progress, signal: AbortSignal): Promise<void> {
  const about = { version: programVersion(), home: home.dir };
  const reader = openRowsReader(home);
  const outerOf = async (run: string): Promise<string> =>
    await reader.read((rows) => storedRun(rows, run)?.root ?? run);
  try {
    for await (const event of changes(home.ledgers, { run: progress.seq }, { signal })) {
      progress.at = event.seq;
      const requests = await requestsOf(home, event, { outerOf, about, texts: wish.texts });
      progress.at = null;
      for (const request of requests) if (!(await send(home, wish, { ...request, signal, progress }))) return;
      progress.seq = event.seq;
      progress.failures = 0;
      if (progress.isStuck) Object.assign(progress, { isStuck: false, problem: null });
      else if (requests.length === 0) continue;
      writeSent(home, progress);
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
  { otlp, firstPauseMs = FIRST_PAUSE_MS }: Wish,
  { path, body, signal, progress }: Request & { signal: AbortSignal; progress: Progress },
): Promise<boolean> {
  const url = new URL(path, otlp.endsWith('/') ? otlp : `${otlp}/`);
  for (let wait = firstPauseMs; !signal.aborted; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    const { isTaken, mayBeTaken, says } = await post(url, body, signal);
    if (isTaken || !signal.aborted) noteProblem(home, progress, url, isTaken ? null : says);
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
function noteProblem(home: Home, progress: Progress, { href }: URL, says: string | null): void {
  const { problem: before } = progress;
  progress.problem = says !== null ? `${href} ${says}` : before?.startsWith(href) === true ? null : before;
  if (progress.problem !== before) writeSent(home, progress);
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

function writeSent(home: Home, { seq, problem }: Sent): void {
  makeFolder(join(home.oka, 'state')); // of a home that was never at work
  replaceFile(fileIn(home), `${JSON.stringify({ seq, problem })}\n`);
}
