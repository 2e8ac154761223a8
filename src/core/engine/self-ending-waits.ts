/** Waits that end without a person: timers, questions with a time limit, runs inside, and requirements that something here can provide. */
import type { NewEvent } from '../schema/event.ts';
import { endsAlone, type TimerWait, type WaitAnswer } from '../schema/wait.ts';
import { answerFromChild } from './child-terms.ts';
import { endOfChild } from './child-runs.ts';
import type { EngineContext, EngineOptions } from './engine-context.ts';
import { hasTurn } from './run-turns.ts';
import { isOver, type OpenWait, type RunState } from './run-state.ts';

/** Resolves with the event that closes the wait; null when only a person can end it. */
export function expectEnd(
  context: EngineContext,
  run: RunState,
  { wait, node, for: awaited, opened }: OpenWait,
  signal: AbortSignal,
): Promise<NewEvent> | null {
  const { options } = context;
  const close = (answer: WaitAnswer): NewEvent => ({
    type: 'wait.closed',
    run: run.id,
    data: { wait, node, answer },
  });
  if (awaited.kind === 'timer' && !endsAlone(awaited)) return null;
  if (awaited.kind === 'timer') {
    const elapsed: WaitAnswer = { verdict: 'elapsed', by: 'the clock' };
    return sleepUntil(options, awaited, signal).then(() => close(elapsed));
  }
  if (awaited.kind === 'question' && awaited.timeout_seconds !== undefined && opened !== undefined) {
    const until = new Date(Date.parse(opened) + awaited.timeout_seconds * 1000).toISOString();
    return sleepUntil(options, { kind: 'timer', until }, signal).then(() => close(answerOfClock(awaited.default)));
  }
  if (awaited.kind === 'requirement') return options.provide?.(run, { wait, node, for: awaited })?.then(close) ?? null;
  if (awaited.kind === 'turn')
    return hasTurn(context.turns, run) ? Promise.resolve(close({ verdict: 'arrived', by: 'oka' })) : null;
  if (awaited.kind !== 'child') return null;
  return childAnswer(context, awaited.run, awaited.any_end).then(close);
}

/** The answer when nobody has answered in time. */
function answerOfClock(usual: string | undefined): WaitAnswer {
  return usual === undefined
    ? { verdict: 'expired', text: 'nobody answered in time', by: 'the clock' }
    : { verdict: 'answered', text: usual, by: 'the clock' };
}

async function childAnswer(context: EngineContext, id: string, anyEnd: boolean | undefined): Promise<WaitAnswer> {
  const child = await endOfChild(context, id);
  if (child === null || !isOver(child.status)) throw new Error('the awaited run is not over');
  return answerFromChild(child, anyEnd);
}

/** Timers stand still while the machine sleeps and know nothing of a clock that is set: it is read this often. */
const READ_CLOCK_MS = 60_000;

/** A pause (`ms`) also ends when it has lasted, so that a clock that was set back does not make it longer. */
async function sleepUntil(options: EngineOptions, { until, ms }: TimerWait, signal: AbortSignal): Promise<void> {
  const { clock, monotonic = clock, sleep } = options;
  const end = ms === undefined ? Number.POSITIVE_INFINITY : monotonic() + ms;
  const left = (): number => Math.min(Date.parse(until) - clock(), end - monotonic());
  for (let rest = left(); rest > 0; rest = left()) await sleep(Math.min(rest, READ_CLOCK_MS), signal);
}
