/** New schedules, of tasks and of graphs. */
import { basename, join } from 'node:path';
import { lstatSync, readFileSync } from 'node:fs';
import { graphFile } from '../../../kit/graphs/graph-files.ts';
import { addTask } from '../../../kit/inbox/add-task.ts';
import { readTask } from '../../../kit/inbox/parse-task.ts';
import { NotATask } from '../../../kit/inbox/plain-file.ts';
import { previewSchedule, recordSchedules, writeSchedule } from '../../../kit/schedule/save-schedule.ts';
import { isScheduled } from '../../../kit/schedule/schedule-spec.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type GraphSchedule, parseGraphSchedule } from '../../../core/schema/graph-schedule.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { ScheduleFields } from '../../../core/schema/schedule.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { choice, flag, type OptionValues, text } from '../../../kit/cli/options.ts';
import { inputOption, onlyOperand } from '../../../kit/cli/operands.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { setFrontMatter } from '../../../kit/inbox/set-front-matter.ts';
import { additionOf } from '../../../kit/cli/addition.ts';

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

type AddOptions = OptionValues<typeof addOptions> & { input?: string | undefined };
type Data = { file: string; timezone: string; next: string[]; saved: boolean; worker: boolean };
/** What is written, where, and when it is due. */
type Draft = { name: string; bytes: string | null; fields: ScheduleFields; folder?: string };

export const commands: Commands = {
  'schedule add': command({
    summary: 'Do a task at fixed times: a text, or a file',
    operands: '<task>',
    options: addOptions,
    example: 'oka schedule add weekly.md --every "monday 08:00"',
    run: async (call) => {
      await requireHome(call.home);
      return addSchedule(call, draftTask(call));
    },
    render,
  }),
  'graph schedule add': command({
    summary: 'Run a graph at fixed times',
    operands: '<graph>',
    options: { ...addOptions, input: text('JSON', 'What the graph is given: JSON, a file with JSON, or - for stdin.') },
    example: 'oka graph schedule add report --every "daily at 6:00"',
    run: async (call) => {
      await requireHome(call.home);
      return addSchedule(call, await draftGraph(call));
    },
    render,
  }),
};

/** The next five times are shown before anything is saved. */
async function addSchedule(call: Call<AddOptions>, draft: Draft): Promise<Answer<Data>> {
  const { timezone, next } = preview(draft);
  const shown = { file: `workspace/schedules/${draft.name}`, timezone, next };
  const worker = penHolder(call.home.ledgers.run) !== null;
  if (!(await isWanted(call, next))) return answer({ ...shown, saved: false, worker }, exits.ok);
  save(call.home, draft);
  if (draft.folder === undefined) await recordSchedules(call);
  return answer({ ...shown, saved: true, worker });
}

function render({ file, timezone, next, saved, worker }: Data): string {
  return [
    `Next times (${timezone}):`,
    ...next.map((each) => `  ${each}`),
    saved ? `Saved as ${plainText(file)}; edit it there.` : 'Nothing was saved.',
    ...(saved && !worker ? ['No worker is running; start one: oka up'] : []),
    '',
  ].join('\n');
}

function draftTask(call: Call<AddOptions>): Draft {
  const addition = additionOf(onlyOperand(call, 'task'));
  const fields = fieldsOf(call.options);
  if ('path' in addition && lstatSync(addition.path).isDirectory()) {
    const text = readFileSync(join(addition.path, 'TASK.md'));
    return { name: basename(addition.path), bytes: null, folder: addition.path, fields: read(text, addition.path) };
  }
  const isFile = 'path' in addition;
  const given = isFile ? readFileSync(addition.path, 'utf8') : `${'text' in addition ? addition.text : ''}\n`;
  const bytes = setFrontMatter(given, { ...fields, ...(call.options.id === undefined ? {} : { id: call.options.id }) });
  const title = given
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  const name =
    call.options.id === undefined
      ? isFile
        ? basename(addition.path)
        : `${title || 'task'}.md`
      : `${call.options.id}.md`;
  return { name, bytes, fields: read(Buffer.from(bytes), name) };
}

function read(bytes: Uint8Array, name: string): ScheduleFields {
  try {
    return readTask(bytes, name).task;
  } catch (error) {
    if (error instanceof NotATask) throw new OkaError('invalid-file', `${name}: ${error.message}`);
    throw error;
  }
}

async function draftGraph(call: Call<AddOptions>): Promise<Draft> {
  const graph = onlyOperand(call, 'graph');
  graphFile(call.home, graph);
  const { id, input } = call.options;
  const given = input === undefined ? {} : { input: await inputOption(input, call.stdin) };
  const name = id ?? basename(graph).replace(/\.json$/i, '');
  const schedule: GraphSchedule = { ...(id === undefined ? {} : { id }), graph, ...given, ...fieldsOf(call.options) };
  const checked = parseGraphSchedule(schedule);
  if ('problem' in checked) throw new OkaError('usage', checked.problem);
  return { name: `${name}.json`, bytes: `${JSON.stringify(schedule, null, 2)}\n`, fields: schedule };
}

function fieldsOf({ every, at, timezone, catchUp, overlap, until }: AddOptions): ScheduleFields {
  const fields = { every, at, timezone, catch_up: catchUp, overlap, until };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function preview({ fields, name }: Draft): { timezone: string; next: string[] } {
  if (!isScheduled(fields))
    throw new OkaError('usage', `${name} does not say when`, {
      fix: 'Add --every "monday 08:00" or --at 2026-12-01T08:00.',
    });
  return previewSchedule(fields, name);
}

async function isWanted({ options, openDialog, notify }: Call<AddOptions>, next: readonly string[]): Promise<boolean> {
  if (options.dryRun) return false;
  if (openDialog === null) return true;
  for (const line of ['Next times:', ...next.map((each) => `  ${each}`)]) notify(line);
  return !/^n(o)?$/i.test(await (await openDialog()).ask('Save it? [Y/n] '));
}

function save(home: Home, { name, bytes, folder }: Draft): void {
  if (folder !== undefined) return void addTask(join(home.workspace, 'inbox'), { path: folder });
  writeSchedule(home, name, bytes ?? '');
}
