/** A request about schedules (kit/cli/carry-out.ts). */
import { followRunToEnd } from '../../kit/cli/await-run.ts';
import { askOrDo } from '../../kit/cli/carry-out.ts';
import { withHost } from '../../kit/cli/host-here.ts';
import type { RunState } from '../../core/engine/run-state.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { type Known, knownNow } from '../../kit/views/changes.ts';
import { runScheduled } from './run-scheduled.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Json } from '../../core/schema/json.ts';
import { answerOf, unchangedIn } from '../../core/schema/room.ts';
import { type Answer, answer, type Call, exits } from '../../kit/cli/command-module.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { count, plainText } from '../../kit/cli/plain-text.ts';
import { isHalted } from '../../kit/home/stop-files.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome, type RunOutcome } from '../../kit/cli/run-outcome.ts';

type ScheduleIntake = Extract<Intake, { kind: 'schedule' }>;
/** `runs` are those that it has started, once they have settled. */
export type ScheduleAnswer = {
  act: ScheduleIntake['act'];
  schedule: string | null;
  answer: Json;
  runs: RunOutcome[];
};

type RequestingCall = Pick<Call, 'home' | 'signal' | 'notify' | 'rooms'>;
type ScheduleRequest = Omit<ScheduleIntake, 'kind'>;

export async function requestSchedule(call: RequestingCall, request: ScheduleRequest): Promise<Answer<ScheduleAnswer>> {
  const { home, signal, notify, rooms } = call;
  const intake: ScheduleIntake = { kind: 'schedule', ...request };
  const known = knownNow(home.ledgers, ['run']);
  const here = (): Promise<{ answer: Json; settled: RunState[] }> =>
    withHost(
      home,
      signal,
      async (host) => ({
        answer: await answerOf(await host.handle(intake)),
        settled: STARTING.has(request.act) && !isHalted(home) ? await runScheduled(host, notify, signal) : [],
      }),
      { rooms, warn: notify },
    );
  const done = await askOrDo(call, intake, here);
  if (typeof done !== 'object')
    throw new OkaError('in-doubt', 'the worker ended while it did this', { fix: 'See: oka schedule list' });
  const told = 'settled' in done ? done.answer : done.done;
  const asked = startedBy(told);
  const isLater = asked.length > 0 && isHalted(home);
  if (isLater) notify(LATER);
  const runs = 'settled' in done ? done.settled : isLater ? [] : await followAll(call, asked, known);
  const code = Math.max(isLater ? exits.waiting : exits.ok, ...runs.map(({ status }) => exitCodeOfRun(status)));
  return answer(
    { act: request.act, schedule: request.schedule ?? null, answer: told, runs: runs.map(outcomeOf) },
    code,
  );
}

const LATER = 'Nothing new begins now: it is recorded, and runs when oka goes on (oka unpause).';
const STARTING: ReadonlySet<string> = new Set(['tick', 'trigger', 'backfill']);

async function followAll(call: RequestingCall, runs: readonly string[], known: Known): Promise<RunState[]> {
  const settled: RunState[] = [];
  for (const run of runs) {
    const followed = await followRunToEnd(call, run, known);
    if (followed !== null) settled.push(followed.ended);
  }
  return settled;
}

function startedBy(told: Json): string[] {
  const runs = isObject(told) ? told['runs'] : undefined;
  return Array.isArray(runs) ? runs.filter((run) => typeof run === 'string') : [];
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
  const { act, schedule, answer: told, runs } = data;
  const unchanged = unchangedIn(told);
  if (unchanged !== null) return `${plainText(unchanged)}.\n`;
  const made = startedBy(told).length;
  const about =
    act === 'tick'
      ? `${DONE.tick}: ${count(made, 'run')} ${made === 1 ? 'is' : 'are'} due.`
      : schedule === null
        ? DONE[act]
        : `${plainText(schedule)} ${DONE[act]}${made === 0 ? '' : `: ${count(made, 'run')}`}`;
  return `${about}\n${runs.map((run) => renderOutcome(run, terminal)).join('')}`;
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
