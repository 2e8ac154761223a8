/** A request about a run: passed on to the worker if one is running, else done here and now. */
import { describeStop, isStopped } from '../home/stop-files.ts';
import { askOrDo, withHost } from './host-here.ts';
import { ports } from '../ports/room-ports.ts';
import type { Intake } from '../../core/schema/intake.ts';
import { lateAnswer, startedRun } from '../../core/schema/room.ts';
import { type Answer, answer, type Call, exits } from './command-module.ts';
import type { Terminal } from './io.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome, type RunOutcome } from './run-outcome.ts';
import { renderSubmitted, requestOfWorker, type Submitted } from './submitted.ts';

type Stop = ReturnType<typeof describeStop>;
type RunIntake = Extract<Intake, { kind: 'answer' | 'cancel' | 'pause' | 'rerun' | 'resume' }>;
export type RequestData = RunOutcome | (Submitted & { intake: RunIntake; isDone: boolean; stop: Stop | null });

type RequestingCall = Pick<Call, 'home' | 'signal' | 'notify'>;

export const requestRun = (call: RequestingCall, intake: RunIntake): Promise<Answer<RequestData>> =>
  askOrDo(() => request(call, intake));

async function request(call: RequestingCall, intake: RunIntake): Promise<Answer<RequestData>> {
  const submitted = await requestOfWorker(call, intake);
  if (submitted !== null) {
    const stop = isStopped(call.home) ? describeStop(call.home) : null;
    return answer({ submitted: submitted.submitted, intake, isDone: submitted.done !== undefined, stop });
  }
  const run = await withHost(
    call.home,
    call.signal,
    async (host) => {
      const { runOfWait } = await import('../../core/ledger/task-graph.ts');
      const { engine } = host;
      const { taskGraph } = host.valuesOf({ taskGraph: ports.taskGraph });
      const id = intake.kind === 'answer' ? runOfWait(intake.wait, taskGraph()) : runOf(intake);
      const handled = await host.handle(intake);
      const going = startedRun(handled);
      await (going?.done ?? lateAnswer(handled));
      if (intake.kind === 'rerun') await engine.whenIdle(); // a fork starts when its copy of the desk is there
      const settled = await engine.stateOf(going?.run.id ?? id);
      await engine.whenIdle(); // an answer to a child sets its parent going
      return settled;
    },
    { warn: call.notify },
  );
  if (run === null) return { code: exits.no };
  const isAsRequested =
    (intake.kind === 'cancel' && run.status === 'cancelled') || (intake.kind === 'pause' && run.status === 'paused');
  return answer(outcomeOf(run), isAsRequested ? exits.ok : exitCodeOfRun(run.status));
}

const runOf = (intake: Exclude<RunIntake, { kind: 'answer' }>): string =>
  intake.kind === 'rerun' ? intake.id : intake.run;

export const requestJson = (data: RequestData): object[] => {
  if (!('submitted' in data)) return [data];
  const started = data.intake.kind === 'rerun' ? { run: data.intake.id } : {};
  return [{ submitted: data.submitted, ...started }];
};

export function renderRequest(data: RequestData, terminal: Terminal): string {
  if (!('submitted' in data)) return renderOutcome(data, terminal);
  const { intake, isDone, stop } = data;
  if (isDone) return `${stop === null ? doneSentence(intake) : doneWhileStopped(intake, stop)}\n`;
  if (intake.kind === 'rerun') return renderSubmitted(data, `start ${intake.id}`);
  if (intake.kind !== 'pause') return renderSubmitted(data, intake.kind);
  return `It pauses when its command has ended. To end that now: oka pause ${intake.run} --now\n`;
}

/** What the worker has done at once. */
function doneSentence(intake: RunIntake): string {
  switch (intake.kind) {
    case 'pause':
      return `Paused. Continue with: oka resume ${intake.run}`;
    case 'resume':
      return 'It continues.';
    case 'rerun':
      return `It runs as ${intake.id}. Watch it: oka show ${intake.id} --follow`;
    case 'cancel':
      return 'Cancelled.';
    case 'answer':
      return ANSWERED[intake.answer.verdict] ?? 'Answered; the task continues.';
  }
}

/** What the worker has recorded, and does later. */
function doneWhileStopped(intake: RunIntake, { why, fix }: Stop): string {
  if (intake.kind === 'cancel' || intake.kind === 'pause') return doneSentence(intake);
  return `${RECORDED[intake.kind]}; nothing runs now, since ${why}. ${fix}`;
}

const RECORDED = { answer: 'Answered', resume: 'It continues later', rerun: 'It runs later' } as const;

const ANSWERED: Readonly<Record<string, string>> = {
  approved: 'Approved; the task continues.',
  denied: 'Denied; the task continues without it, or ends.',
};
