import { readSchedules } from '../../../kit/schedule/read-schedules.ts';
import { backfillSpan, backfillTimes, findSchedule } from '../schedule-requests.ts';
import { formatLocal } from '../../../kit/schedule/schedule-spec.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { renderScheduleAnswer, requestSchedule, type ScheduleAnswer } from '../request-schedule.ts';

type Preview = { schedule: string; count: number; first: string | null; last: string | null };
type Data = ScheduleAnswer | Preview;

export async function run(call: Call<{ yes: boolean }, Data>): Promise<Answer<Data>> {
  const [name, from, to, ...more] = call.operands;
  if (name === undefined || from === undefined || to === undefined || more.length > 0)
    throw new OkaError('usage', 'a backfill needs a schedule, a beginning and an end', {
      fix: 'oka schedule backfill weekly 2026-11-01 2026-11-30',
    });
  const state = await readSchedules(call.home, Date.now());
  const { id, spec } = findSchedule({ state: () => state }, name);
  const span = backfillSpan({ spec }, { from, to });
  const times = backfillTimes({ spec }, span, Date.now());
  const shown = (moment: number | undefined): string | null =>
    moment === undefined ? null : formatLocal(moment, spec.timezone);
  const preview: Preview = { schedule: id, count: times.length, first: shown(times[0]), last: shown(times.at(-1)) };
  if (times.length === 0) return answer(preview);
  if (!(await isConfirmed(call, times.length))) return answer(preview, exits.no);
  return requestSchedule(call, { act: 'backfill', schedule: id, ...span });
}

export function render(data: Data, terminal: Terminal): string {
  if ('act' in data) return renderScheduleAnswer(data, terminal);
  const { schedule, count: runs, first, last } = data;
  if (runs === 0) return `${schedule} was not due in that time.\n`;
  return `${schedule} would run ${count(runs, 'time')}, for ${first} to ${last}.\nRun them: add --yes\n`;
}

async function isConfirmed({ options, openDialog }: Call<{ yes: boolean }, Data>, runs: number): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) return false;
  return /^y(es)?$/i.test(await (await openDialog()).ask(`Make ${count(runs, 'run')}? [y/N] `));
}
