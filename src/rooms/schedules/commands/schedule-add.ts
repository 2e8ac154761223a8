import { basename, join } from 'node:path';
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { graphFile } from '../../../kit/graphs/graph-files.ts';
import { addTask } from '../../../kit/inbox/add-task.ts';
import { readTask } from '../../../kit/inbox/parse-task.ts';
import { NotATask } from '../../../kit/inbox/plain-file.ts';
import { isScheduled, listNextTimes, readSchedule, ScheduleFieldError } from '../../../kit/schedule/schedule-spec.ts';
import { replaceFile } from '../../../core/ledger/disk.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type GraphSchedule, parseGraphSchedule } from '../../../core/schema/graph-schedule.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { ScheduleFields } from '../../../core/schema/schedule.ts';
import { answer, type Call, type CommandModule, exits } from '../../../kit/cli/command-module.ts';
import { inputOption, onlyOperand } from '../../../kit/cli/operands.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { setFrontMatter } from '../../../kit/inbox/set-front-matter.ts';
import { additionOf } from '../../../kit/cli/addition.ts';

export type AddOptions = {
  every: string | undefined;
  at: string | undefined;
  timezone: string | undefined;
  catchUp: 'none' | 'last' | 'all' | undefined;
  overlap: 'skip' | 'queue' | 'cancel' | 'allow' | undefined;
  until: string | undefined;
  id: string | undefined;
  input?: string | undefined;
  dryRun: boolean;
};
type Data = { file: string; timezone: string; next: string[]; saved: boolean; worker: boolean };
/** What is written, where, and when it is due. */
type Draft = { name: string; bytes: string | null; fields: ScheduleFields; folder?: string };

/** Schedules a task, or a graph. The next five times are shown before anything is saved. */
export const addSchedule = (kind: 'task' | 'graph'): CommandModule<AddOptions, Data> => ({
  run: async (call) => {
    await requireHome(call.home);
    const draft = kind === 'graph' ? await draftGraph(call) : draftTask(call);
    const { timezone, next } = preview(draft);
    const shown = { file: `workspace/schedules/${draft.name}`, timezone, next };
    const worker = penHolder(call.home.ledgers.run) !== null;
    if (!(await isWanted(call, next))) return answer({ ...shown, saved: false, worker }, exits.ok);
    save(call.home, draft);
    return answer({ ...shown, saved: true, worker });
  },
  render: ({ file, timezone, next, saved, worker }) =>
    [
      `Next times (${timezone}):`,
      ...next.map((each) => `  ${each}`),
      saved ? `Saved as ${plainText(file)}; edit it there.` : 'Nothing was saved.',
      ...(saved && !worker ? ['No worker is running; start one: oka up'] : []),
      '',
    ].join('\n'),
});

function draftTask(call: Call<AddOptions, Data>): Draft {
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

async function draftGraph(call: Call<AddOptions, Data>): Promise<Draft> {
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
  try {
    const now = Date.now();
    const spec = readSchedule(fields, now);
    const next = listNextTimes(spec, now);
    if (next.length > 0) return { timezone: spec.timezone, next };
    throw new OkaError('usage', `none of the times of ${name} is still to come`);
  } catch (error) {
    if (error instanceof ScheduleFieldError) throw new OkaError('usage', `${error.field}: ${error.message}`);
    throw error;
  }
}

async function isWanted(
  { options, openDialog, notify }: Call<AddOptions, Data>,
  next: readonly string[],
): Promise<boolean> {
  if (options.dryRun) return false;
  if (openDialog === null) return true;
  for (const line of ['Next times:', ...next.map((each) => `  ${each}`)]) notify(line);
  return !/^n(o)?$/i.test(await (await openDialog()).ask('Save it? [Y/n] '));
}

function save(home: Home, { name, bytes, folder }: Draft): void {
  if (folder !== undefined) return void addTask(join(home.workspace, 'inbox'), { path: folder });
  const file = join(home.workspace, 'schedules', name);
  if (existsSync(file))
    throw new OkaError('refused', `workspace/schedules/${name} exists already`, {
      fix: 'Edit it there, or choose another name with --id.',
    });
  mkdirSync(join(home.workspace, 'schedules'), { recursive: true });
  replaceFile(file, bytes ?? '', { durable: true });
}
