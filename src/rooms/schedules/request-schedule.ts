/** A request about schedules: passed on to the worker if one is running, else done here and now. */
import { askOrDo, withHost } from '../../kit/cli/host-here.ts';
import { runScheduled } from './run-scheduled.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Json } from '../../core/schema/json.ts';
import { lateAnswer } from '../../core/schema/room.ts';
import { type Answer, answer, type Call, exits } from '../../kit/cli/command-module.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { count, plainText } from '../../kit/cli/plain-text.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome, type RunOutcome } from '../../kit/cli/run-outcome.ts';
import { requestOfWorker } from '../../kit/cli/submitted.ts';

type ScheduleIntake = Extract<Intake, { kind: 'schedule' }>;
/** `by_worker`: a worker does it; its runs go on after this answer. `runs` have ended here. */
export type ScheduleAnswer = {
  act: ScheduleIntake['act'];
  schedule: string | null;
  by_worker: boolean;
  answer: Json;
  runs: RunOutcome[];
};

const PATIENCE_MS = 15_000;

type RequestingCall = Pick<Call, 'home' | 'signal' | 'notify' | 'rooms'>;
type ScheduleRequest = Omit<ScheduleIntake, 'kind'>;

export const requestSchedule = (call: RequestingCall, request: ScheduleRequest): Promise<Answer<ScheduleAnswer>> =>
  askOrDo(() => doRequest(call, request));

async function doRequest(call: RequestingCall, request: ScheduleRequest): Promise<Answer<ScheduleAnswer>> {
  const intake: ScheduleIntake = { kind: 'schedule', ...request };
  const about = { act: request.act, schedule: request.schedule ?? null };
  const submitted = await requestOfWorker(call, intake, PATIENCE_MS);
  if (submitted !== null) return answer({ ...about, by_worker: true, answer: submitted.done ?? null, runs: [] });
  const { home, signal, notify, rooms } = call;
  return withHost(
    home,
    signal,
    async (host) => {
      const done = await lateAnswer(await host.handle(intake));
      const isRun = ['tick', 'trigger', 'backfill'].includes(request.act);
      const runs = isRun ? await runScheduled(host, notify, signal) : [];
      const code = Math.max(exits.ok, ...runs.map(({ status }) => exitCodeOfRun(status)));
      return answer({ ...about, by_worker: false, answer: done, runs: runs.map(outcomeOf) }, code);
    },
    { rooms, warn: notify },
  );
}

const DONE: Readonly<Record<ScheduleIntake['act'], string>> = {
  on: 'is on',
  off: 'is off',
  delete: 'is deleted; its file is in workspace/schedules/.before',
  trigger: 'was triggered',
  backfill: 'was backfilled',
  tick: 'Schedules were checked',
  start: 'The clock of schedules is on.',
  stop: 'The clock of schedules is off; `oka schedule tick` checks it once.',
};

export function renderScheduleAnswer(data: ScheduleAnswer, terminal: Terminal): string {
  const { act, schedule, by_worker, answer: told, runs } = data;
  const made = isObject(told) && Array.isArray(told['runs']) ? told['runs'].length : 0;
  const about =
    act === 'tick'
      ? `${DONE.tick}: ${count(made, 'run')} ${made === 1 ? 'is' : 'are'} due.`
      : schedule === null
        ? DONE[act]
        : `${plainText(schedule)} ${DONE[act]}${made === 0 ? '' : `: ${count(made, 'run')}`}`;
  const note = by_worker && made > 0 ? '\nA worker is running; it does them. See: oka status' : '';
  return `${about}${note}\n${runs.map((run) => renderOutcome(run, terminal)).join('')}`;
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
