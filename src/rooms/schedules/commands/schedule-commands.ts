/** Schedules: the same commands for tasks (`oka schedule`) and for graphs (`oka graph schedule`). */
import { readSchedules, type ScheduleRow, toScheduleRow } from '../../../kit/schedule/read-schedules.ts';
import { formatLocal } from '../../../kit/schedule/schedule-spec.ts';
import type { Home } from '../../../core/schema/home.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import {
  type Answer,
  answer,
  type Call,
  type Command,
  command,
  type Commands,
  exits,
} from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { flag } from '../../../kit/cli/options.ts';
import { count, indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { renderScheduleAnswer, requestSchedule, type ScheduleAnswer } from '../request-schedule.ts';
import { backfillSpan, backfillTimes, findSchedule } from '../schedule-requests.ts';

export const commands: Commands = { ...commandsOf('schedule', 'task'), ...commandsOf('graph schedule', 'graph') };

function commandsOf(prefix: string, kind: 'task' | 'graph'): Commands {
  const one = (act: 'on' | 'off' | 'delete' | 'trigger', summary: string): Command =>
    command({
      summary,
      operands: '<schedule>',
      example: `oka ${prefix} ${act} weekly`,
      run: (call) => requestSchedule(call, { act, schedule: onlyOperand(call, 'schedule') }),
      render: renderScheduleAnswer,
    });
  const clock = (act: 'tick' | 'start' | 'stop', summary: string): Command =>
    command({
      summary,
      example: `oka ${prefix} ${act}`,
      run: async (call) => {
        if (call.operands.length > 0) throw new OkaError('usage', `${act} is about all schedules and names none`);
        return requestSchedule(call, { act });
      },
      render: renderScheduleAnswer,
    });
  return {
    [`${prefix} list`]: command({
      summary: `List the schedules ${kind === 'graph' ? 'of graphs ' : ''}and their next times`,
      example: `oka ${prefix} list`,
      run: ({ home }) => listSchedules(home, kind),
      render: renderList,
    }),
    [`${prefix} on`]: one('on', 'Switch a schedule on; its times begin now'),
    [`${prefix} off`]: one('off', 'Switch a schedule off'),
    [`${prefix} delete`]: one('delete', 'Delete a schedule; its file is set aside'),
    [`${prefix} trigger`]: one('trigger', 'Run a schedule once, now'),
    [`${prefix} backfill`]: command({
      summary: 'Run a schedule for times that have passed, once each; shows how many these are first',
      operands: '<schedule> <from> <to>',
      options: { yes: flag('Do not ask.') },
      example: `oka ${prefix} backfill weekly 2026-11-01 2026-11-30`,
      run: backfill,
      render: renderBackfill,
    }),
    [`${prefix} tick`]: clock('tick', 'Check all schedules once, for a clock of your own such as cron'),
    [`${prefix} start`]: clock('start', 'Switch the clock of all schedules on'),
    [`${prefix} stop`]: clock('stop', 'Switch the clock of all schedules off'),
  };
}

/** `clock`: whether times are checked by themselves. */
type Listed = { clock: boolean; schedules: ScheduleRow[]; refused: { file: string; reason: string }[] };

/** All schedules, or those of graphs alone. */
async function listSchedules(home: Home, kind: 'task' | 'graph'): Promise<Answer<Listed>> {
  await requireHome(home);
  const now = Date.now();
  const { isClockOn, byId, refused } = await readSchedules(home, now);
  const schedules = Object.values(byId)
    .filter((state) => kind === 'task' || state.kind === kind)
    .map((state) => toScheduleRow(state, now))
    .toSorted((a, b) => (a.next[0] ?? '~').localeCompare(b.next[0] ?? '~') || a.schedule.localeCompare(b.schedule));
  const files = Object.entries(refused).map(([file, { reason }]) => ({ file, reason }));
  return answer({ clock: isClockOn, schedules, refused: files });
}

function renderList({ clock, schedules, refused }: Listed, terminal: Terminal): string {
  const { yellow, red, dim } = terminal;
  if (schedules.length + refused.length === 0)
    return 'There are no schedules. A task with a line such as "every: monday 08:00" becomes one.\n';
  const lines = [
    ...(clock ? [] : [yellow('The clock of schedules is off: nothing runs by itself until `oka schedule start`.')]),
    ...schedules.flatMap((row) => renderSchedule(row, terminal)),
    ...refused.flatMap(({ file, reason }) => [
      red(`${plainText(file)}: does not run`),
      indentWrapped(reason, '  ', terminal),
    ]),
    dim('Edit the files in workspace/schedules; deleting one ends it.'),
  ];
  return `${lines.join('\n')}\n`;
}

function renderSchedule(row: ScheduleRow, { bold, dim, yellow, red }: Terminal): string[] {
  const { schedule, title, every, timezone, on, next_local, last_run, failures, problem } = row;
  const [next] = next_local;
  const state = !on ? yellow('off') : next === undefined ? dim('no further time') : `next ${next}`;
  return [
    `${bold(plainText(schedule))}  ${plainText(title)}`,
    `  ${plainText(every ?? 'once')} (${timezone}): ${state}`,
    ...(last_run === null ? [] : [dim(`  last run ${last_run.run}: ${last_run.status}`)]),
    ...(failures >= 2 ? [red(`  its last ${failures} runs failed`)] : []),
    ...(problem === null ? [] : [red(`  its file cannot be read: ${plainText(problem)}`)]),
  ];
}

type Preview = { schedule: string; count: number; first: string | null; last: string | null };
type Backfilled = ScheduleAnswer | Preview;

async function backfill(call: Call<{ yes: boolean }>): Promise<Answer<Backfilled>> {
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

function renderBackfill(data: Backfilled, terminal: Terminal): string {
  if ('act' in data) return renderScheduleAnswer(data, terminal);
  const { schedule, count: runs, first, last } = data;
  if (runs === 0) return `${schedule} was not due in that time.\n`;
  return `${schedule} would run ${count(runs, 'time')}, for ${first} to ${last}.\nRun them: add --yes\n`;
}

async function isConfirmed({ options, openDialog }: Call<{ yes: boolean }>, runs: number): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) return false;
  return /^y(es)?$/i.test(await (await openDialog()).ask(`Make ${count(runs, 'run')}? [y/N] `));
}
