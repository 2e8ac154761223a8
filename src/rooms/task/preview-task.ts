/**
 * Owns: what oka understands of a task before it is done: kind, steps, criteria, files, and every problem with its line.
 * It reads the task as the inbox and `task.plan` would, and changes nothing.
 */
import { readAddition, type Addition } from '../../kit/inbox/add-task.ts';
import { isScheduled, listNextTimes, readSchedule, ScheduleFieldError } from '../../kit/schedule/schedule-spec.ts';
import { machineTimeZone } from '../../kit/schedule/time-zone.ts';
import { namesIn } from '../../kit/models/model-settings.ts';
import { nameOf } from '../../kit/models/model-name.ts';
import type { Criterion } from '../../kit/task/criteria.ts';
import type { LineProblem } from '../../kit/text/markdown-blocks.ts';
import { parseRunbook, readTaskCriteria, type Runbook } from '../../kit/task/runbook.ts';
import { hintsAtFences, kindOf, unclearProblem } from '../../kit/task/task-kind.ts';
import type { Home } from '../../core/schema/home.ts';
import type { TaskFile } from '../../core/schema/task-file.ts';
import { modelProviders } from '../../kit/house/room-contributions.ts';
import type { HouseRoom } from '../../kit/house/house.ts';
import { loadConfig, modelEnvironment } from '../../kit/settings.ts';

export type TaskPreview = {
  name: string;
  title: string;
  /** A runbook has steps of its own; prose is planned by a model. */
  kind: 'runbook' | 'prose';
  /** Why it is of this kind. */
  why: string;
  fields: Omit<TaskFile, 'title' | 'accept'>;
  steps: StepPreview[];
  criteria: { text: string; judge: 'check' | 'model' }[];
  /** Files next to TASK.md, and whether the task is such a folder. */
  folder: boolean;
  files: string[];
  /** When it is due next, if it comes at fixed times. */
  schedule: { timezone: string; next: string[] } | null;
  notes: string[];
  problems: { line: number | null; problem: string }[];
  /** Whether the task needs a model, and the one that would be asked; null when none is set. */
  model: { needed: boolean; set: string | null };
};

export type StepPreview = { id: string; title: string; line: number; language: string; net: boolean | string[] };

export async function previewTask(home: Home, addition: Addition, rooms: readonly HouseRoom[]): Promise<TaskPreview> {
  const { name, text, firstLine, lineOf, files, isFolder, notes } = readAddition(addition);
  const { title: _title, accept: _accept, ...fields } = text.task;
  const runbook = parseRunbook(text.body, text.task, { firstLine });
  const criteria = runbook?.kind === 'runbook' ? runbook.criteria : readTaskCriteria(text.body, text.task).criteria;
  const isProse = runbook === null || runbook.kind === 'unclear';
  const set = fields.model ?? (await modelOf(home, rooms));
  return {
    name,
    title: text.title,
    kind: isProse ? 'prose' : 'runbook',
    why: kindOf(text.body, text.task, firstLine).why,
    fields,
    steps: runbook?.kind === 'runbook' ? toSteps(runbook) : [],
    criteria: criteria.map(toCriterion),
    folder: isFolder,
    files,
    schedule: previewSchedule(text.task),
    notes: [
      ...notes,
      ...(set === null && runbook?.kind === 'unclear' ? [] : hintsAtFences(text.body, text.task, firstLine)),
    ],
    problems: problemsOf(runbook, set, lineOf),
    model: {
      needed: isProse || criteria.some(({ check }) => check === null),
      set,
    },
  };
}

/** What cannot be read, and a task that could be both where no model is there to read it as prose. */
function problemsOf(
  read: ReturnType<typeof parseRunbook>,
  model: string | null,
  lineOf: (path: readonly PropertyKey[]) => number,
): TaskPreview['problems'] {
  if (read?.kind === 'problems') return read.problems.map((each) => toProblem(each, lineOf));
  return read?.kind === 'unclear' && model === null ? [{ line: null, problem: unclearProblem(read.why) }] : [];
}

function previewSchedule(task: TaskFile): TaskPreview['schedule'] {
  if (!isScheduled(task)) return null;
  try {
    const spec = readSchedule(task, Date.now());
    return { timezone: spec.timezone, next: listNextTimes(spec, Date.now()) };
  } catch (error) {
    if (!(error instanceof ScheduleFieldError)) throw error;
    return { timezone: task.timezone ?? machineTimeZone(), next: [] }; // it has ended before now
  }
}

const toCriterion = ({ text, check }: Criterion): TaskPreview['criteria'][number] => ({
  text,
  judge: check === null ? 'model' : 'check',
});

/** A criterion in front matter is known by its number. */
function toProblem(
  { line, problem }: LineProblem,
  lineOf: (path: readonly PropertyKey[]) => number,
): TaskPreview['problems'][number] {
  const index = /^accept\[(\d+)\]: /.exec(problem)?.[1];
  return index === undefined ? { line, problem } : { line: lineOf(['accept', Number(index)]), problem };
}

function toSteps({ steps, graph }: Runbook): StepPreview[] {
  const nets = new Map(graph.nodes.map(({ id, input }) => [id, (input as { net?: boolean | string[] }).net ?? false]));
  return steps.map((step) => ({ ...step, net: nets.get(step.id) ?? false }));
}

async function modelOf(home: Home, rooms: readonly HouseRoom[]): Promise<string | null> {
  const providers = await modelProviders(rooms);
  const { models } = await loadConfig(home);
  const names = namesIn({ environment: modelEnvironment(providers), config: models, providers });
  const name = names.planner ?? names.default;
  return name === undefined ? null : nameOf(name);
}
