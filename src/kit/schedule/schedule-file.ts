/** Owns: reading one file or folder of workspace/schedules: a task that comes again, or a JSON file that names a graph. */
import { hash } from 'node:crypto';
import { messageOf } from '../../core/schema/errors.ts';
import { type GraphSchedule, parseGraphSchedule } from '../../core/schema/graph-schedule.ts';
import { readTaskContent, slugOf, type TaskContent } from '../inbox/claim-task.ts';
import { NotATask, readPlain } from '../inbox/plain-file.ts';
import type { ScheduleFields } from '../../core/schema/schedule.ts';
import { isScheduled } from './schedule-spec.ts';
import { withDefaults } from '../inbox/inbox-options.ts';

export type ScheduleFile = {
  id: string;
  title: string;
  sha256: string;
  fields: ScheduleFields;
} & ({ kind: 'task'; content: TaskContent } | { kind: 'graph'; graph: GraphSchedule });

/** A file that cannot be read as a schedule, and why. */
export type UnreadableSchedule = { kind: 'problem'; id: string; sha256: string; reason: string };

const limits = withDefaults({
  inbox: '',
  isKnown: () => false,
  on: { rejected: () => Promise.resolve(), problem: () => undefined },
});

export const isGraphSchedule = (name: string): boolean => /\.json$/i.test(name);

/** Throws Vanished when there is no such file. */
export function readScheduleFile(path: string, name: string): ScheduleFile | UnreadableSchedule {
  const id = slugOf(name.replace(/\.json$/i, ''));
  try {
    return isGraphSchedule(name) ? readGraphSchedule(path, id) : readTaskSchedule(path, name, id);
  } catch (error) {
    if (!(error instanceof NotATask)) throw error;
    return { kind: 'problem', id, sha256: contentHash(path, error.message), reason: error.message };
  }
}

function readTaskSchedule(path: string, name: string, slug: string): ScheduleFile {
  const content = readTaskContent(path, name, limits);
  if (!isScheduled(content.task)) throw new NotATask(NO_TIME);
  const id = (content.task.id ?? slug).slice(0, MOST_ID);
  return { kind: 'task', id, title: content.title, sha256: content.digest, fields: content.task, content };
}

function readGraphSchedule(path: string, slug: string): ScheduleFile {
  const { bytes } = readPlain(path, limits.mostBytes);
  const graph = readGraphJson(bytes.toString('utf8'));
  if (!isScheduled(graph)) throw new NotATask(NO_TIME);
  const id = (graph.id ?? slug).slice(0, MOST_ID);
  return { kind: 'graph', id, title: graph.title ?? graph.graph, sha256: hash('sha256', bytes), fields: graph, graph };
}

function readGraphJson(text: string): GraphSchedule {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new NotATask(`it is not JSON: ${messageOf(error)}`, { cause: error });
  }
  const read = parseGraphSchedule(json);
  if ('problem' in read) throw new NotATask(read.problem);
  return read;
}

/** Run ids are longer than the id of their schedule. */
const MOST_ID = 90;
const NO_TIME = 'it does not say when: add a line such as "every: monday 08:00" or "at: 2026-12-01T08:00"';

/** Distinguishes versions of a file that cannot be read, so that each is reported once. */
function contentHash(path: string, reason: string): string {
  try {
    return hash('sha256', readPlain(path, limits.mostBytes).bytes);
  } catch {
    return hash('sha256', reason);
  }
}
