import { readSchedules, type ScheduleRow, toScheduleRow } from '../../../kit/schedule/read-schedules.ts';
import { answer, type CommandModule } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

/** `clock`: whether times are checked by themselves. */
type Data = { clock: boolean; schedules: ScheduleRow[]; refused: { file: string; reason: string }[] };

/** Lists all schedules, or those of graphs alone. */
export const listSchedules = (kind: 'graph' | null): CommandModule<object, Data> => ({
  run: async ({ home }) => {
    await requireHome(home);
    const now = Date.now();
    const { isClockOn, byId, refused } = await readSchedules(home, now);
    const schedules = Object.values(byId)
      .filter((state) => kind === null || state.kind === kind)
      .map((state) => toScheduleRow(state, now))
      .toSorted((a, b) => (a.next[0] ?? '~').localeCompare(b.next[0] ?? '~') || a.schedule.localeCompare(b.schedule));
    const files = Object.entries(refused).map(([file, { reason }]) => ({ file, reason }));
    return answer({ clock: isClockOn, schedules, refused: files });
  },
  render,
});

function render({ clock, schedules, refused }: Data, terminal: Terminal): string {
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
