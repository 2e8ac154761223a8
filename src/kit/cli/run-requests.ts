/** A request about a run: made to whoever has the pen, else done here and now (carry-out.ts). */
import { describeStop, isStopped } from '../home/stop-files.ts';
import type { RunState } from '../../core/engine/run-state.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { taskGraph } from '../../core/ledger/task-graph.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import { unchangedIn } from '../../core/schema/room.ts';
import { type Answer, answer, type Call, exits } from './command-module.ts';
import { askOrDo } from './carry-out.ts';
import type { Terminal } from './io.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome, type RunOutcome } from './run-outcome.ts';

/** Loaded once there is something to ask. */
const awaiting = () => import('./await-run.ts');

type Stop = ReturnType<typeof describeStop>;
type RunIntake = Extract<Intake, { kind: 'answer' | 'cancel' | 'pause' | 'rerun' | 'resume' }>;
type Brief = Extract<RunIntake, { kind: 'answer' | 'cancel' | 'pause' }>;
/** `intake` is left out where it is the run that counts, which has settled. `isLater`: what was asked for takes its time. */
export type RequestData = {
  outcome: RunOutcome | null;
  intake?: RunIntake;
  isLater?: true;
  /** It was so already. */
  unchanged?: string;
  stop?: Stop;
};

type RequestingCall = Pick<Call, 'home' | 'signal' | 'notify'>;

export async function requestRun(call: RequestingCall, intake: RunIntake): Promise<Answer<RequestData>> {
  if (intake.kind !== 'rerun' && intake.kind !== 'resume') return requestBrief(call, intake);
  const settled = await (await awaiting()).carryOutRun(call, intake, intake.kind === 'rerun' ? intake.id : intake.run);
  const { stop } = stopOf(call.home);
  if (stop !== undefined) return answer({ outcome: null, intake, stop });
  return settled === null ? answer({ outcome: null, intake }) : settledAnswer(settled.ended);
}

/**
 * Whoever answers, pauses or cancels has done it then, also where a run fails of what was answered: it goes on in the worker,
 * or here if there is none.
 */
async function requestBrief(call: RequestingCall, intake: Brief): Promise<Answer<RequestData>> {
  const { home } = call;
  const run = intake.kind === 'answer' ? await runOfWait(home, intake.wait) : intake.run;
  const here = async (): Promise<{ ended: RunState | null; unchanged: string | null }> => {
    const settled = await (await awaiting()).settleHere(call, intake, run);
    return { ended: settled?.ended ?? null, unchanged: settled?.unchanged ?? null };
  };
  const done = await askOrDo(intake.kind === 'pause' ? { ...call, answerMs: PAUSE_MS } : call, intake, here);
  const isHere = typeof done === 'object' && 'ended' in done;
  const isLater = done === 'pending' ? { isLater: true as const } : {};
  const ended = isHere
    ? done.ended
    : run === null
      ? null
      : ((await (await awaiting()).readRun(home, run))?.ended ?? null);
  const unchanged = isHere ? done.unchanged : typeof done === 'object' ? unchangedIn(done.done) : null;
  const asBefore = unchanged === null ? {} : { unchanged };
  return answer({
    outcome: ended === null ? null : outcomeOf(ended),
    intake,
    ...isLater,
    ...asBefore,
    ...stopOf(home),
  });
}

const stopOf = (home: Home): { stop?: Stop } => (isStopped(home) ? { stop: describeStop(home) } : {});

function settledAnswer(ended: RunState | null): Answer<RequestData> {
  return ended === null ? { code: exits.no } : answer({ outcome: outcomeOf(ended) }, exitCodeOfRun(ended.status));
}

async function runOfWait(home: Home, wait: string): Promise<string | null> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  return state.goals.find(({ waits }) => waits.some((open) => open.wait === wait))?.run ?? null;
}

/** A command that is running may take its time before its run pauses; nobody waits for that. */
const PAUSE_MS = 2000;

export const requestJson = ({ outcome, intake }: RequestData): object[] => [outcome ?? { asked: intake }];

export function renderRequest({ outcome, intake, isLater, unchanged, stop }: RequestData, terminal: Terminal): string {
  if (intake === undefined) return outcome === null ? '' : renderOutcome(outcome, terminal);
  if (intake.kind === 'cancel') return outcome === null ? 'Cancelled.\n' : renderOutcome(outcome, terminal);
  if (unchanged !== undefined) return `${unchanged.slice(0, 1).toUpperCase()}${unchanged.slice(1)}.\n`;
  if (isLater) return `It pauses when its command has ended. To end that now: oka pause ${outcome?.run ?? ''} --now\n`;
  if (intake.kind === 'pause') return `Paused. Continue with: oka resume ${intake.run}\n`;
  if (stop !== undefined) return `${RECORDED[intake.kind]}; nothing runs now, since ${stop.why}. ${stop.fix}\n`;
  if (intake.kind !== 'answer') return 'It goes on.\n';
  const standing = outcome === null || outcome.status === 'running' ? '' : renderOutcome(outcome, terminal);
  return `${ANSWERED[intake.answer.verdict] ?? ANSWER}\n${standing}`;
}

const RECORDED = { answer: 'Answered', resume: 'It continues later', rerun: 'It runs later' } as const;
const ANSWER = 'Answered; the task continues.';
const ANSWERED: Readonly<Record<string, string>> = {
  approved: 'Approved; the task continues.',
  denied: 'Denied; the task continues without it, or ends.',
};
