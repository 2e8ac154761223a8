/** Schedules: the same commands for tasks (`oka schedule`) and for graphs (`oka graph schedule`). */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { choice, flag, text } from '../../../kit/cli/options.ts';

const addOptions = {
  every: text('WHEN', 'How often: "monday 08:00", "every 2 hours", "0 8 * * 1".'),
  at: text('TIME', 'Once, or the first time: 2026-12-01T08:00.'),
  timezone: text('ZONE', 'Such as Europe/Berlin (default: that of this machine).'),
  'catch-up': choice(['none', 'last', 'all'], 'WHICH', 'Which missed times are made up for: none, last or all.'),
  overlap: choice(['skip', 'queue', 'cancel', 'allow'], 'HOW', 'While a run goes on: skip, queue, cancel or allow.'),
  until: text('TIME', 'Not after this.'),
  id: text('NAME', 'Name of the schedule (default: that of the file).'),
  'dry-run': flag('Only show the next five times.'),
} as const;

const addTask = command({
  summary: 'Do a task at fixed times: a text, or a file',
  operands: '<task>',
  options: addOptions,
  json: true,
  example: 'oka schedule add weekly.md --every "monday 08:00"',
  load: async () => (await import('./schedule-add.ts')).addSchedule('task'),
});

const addGraph = command({
  summary: 'Run a graph at fixed times',
  operands: '<graph>',
  options: { ...addOptions, input: text('JSON', 'What the graph is given: JSON, a file with JSON, or - for stdin.') },
  json: true,
  example: 'oka graph schedule add report --every "daily at 6:00"',
  load: async () => (await import('./schedule-add.ts')).addSchedule('graph'),
});

const acts = () => import('./schedule-act.ts');

function scheduleCommands(prefix: string, kind: 'task' | 'graph'): Record<string, Command> {
  const isGraph = kind === 'graph';
  const one = (act: 'on' | 'off' | 'delete' | 'trigger', summary: string): Command =>
    command({
      summary,
      operands: '<schedule>',
      json: true,
      example: `oka ${prefix} ${act} weekly`,
      load: async () => (await acts()).actOnSchedule(act),
    });
  const clock = (act: 'tick' | 'start' | 'stop', summary: string): Command =>
    command({ summary, json: true, example: `oka ${prefix} ${act}`, load: async () => (await acts()).actOnClock(act) });
  return {
    [`${prefix} add`]: isGraph ? addGraph : addTask,
    [`${prefix} list`]: command({
      summary: isGraph
        ? 'List the schedules of graphs and their next times'
        : 'List the schedules and their next times',
      json: true,
      example: `oka ${prefix} list`,
      load: async () => (await import('./schedule-list.ts')).listSchedules(isGraph ? 'graph' : null),
    }),
    [`${prefix} on`]: one('on', 'Switch a schedule on; its times begin now'),
    [`${prefix} off`]: one('off', 'Switch a schedule off'),
    [`${prefix} delete`]: one('delete', 'Delete a schedule; its file is set aside'),
    [`${prefix} trigger`]: one('trigger', 'Run a schedule once, now'),
    [`${prefix} backfill`]: command({
      summary: 'Run a schedule for times that have passed, once each; shows how many these are first',
      operands: '<schedule> <from> <to>',
      options: { yes: flag('Do not ask.') },
      json: true,
      example: `oka ${prefix} backfill weekly 2026-11-01 2026-11-30`,
      load: () => import('./schedule-backfill.ts'),
    }),
    [`${prefix} tick`]: clock('tick', 'Check all schedules once, for a clock of your own such as cron'),
    [`${prefix} start`]: clock('start', 'Switch the clock of all schedules on'),
    [`${prefix} stop`]: clock('stop', 'Switch the clock of all schedules off'),
  };
}

export const schedules: Readonly<Record<string, Command>> = scheduleCommands('schedule', 'task');
export const graphSchedules: Readonly<Record<string, Command>> = scheduleCommands('graph schedule', 'graph');
