/** Tasks that this home gave to its fleet and that another member has, or had, as entries of a list of runs. It needs no connection. */
import { join } from 'node:path';
import { redactShapes } from '../../core/guard/redact.ts';
import { readTask } from '../inbox/parse-task.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import type { Event, Line } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { RunStatus } from '../../core/schema/run.ts';
import { listEvents } from '../views/events-query.ts';
import type { GivenRun } from '../views/runs-query.ts';
import { fleetEnvironment } from '../settings.ts';
import { hasFleet, readOverview } from './fleet-overview.ts';

/** Each task has a few such events; older ones are not looked for. */
const MOST_EVENTS = 20_000;

/** The name of this home in its fleet; null where it is in none. */
export const memberName = (home: Home): string | null =>
  hasFleet(home) ? (readOverview(home)?.member ?? fleetEnvironment()?.name ?? null) : null;

export async function readGivenRuns(home: Home, rows: Rows): Promise<GivenRun[]> {
  if (!hasFleet(home)) return [];
  const overview = readOverview(home);
  const sent = new Map(overview?.sent.map((each) => [each.run, each]));
  const name = memberName(home);
  const tasks = new Map<string, Task>();
  for (const event of await listEvents(rows, home.ledgers, { type: 'task.*', limit: MOST_EVENTS })) note(tasks, event);
  const given: GivenRun[] = [];
  for (const [run, { received, cursor, at, isSent, returned }] of tasks) {
    const { at: worker = null, progress = null } = sent.get(run) ?? {};
    const member = returned?.worker ?? worker;
    if (!isSent || received === null || member === name) continue;
    const status = statusOf(returned?.status ?? progress?.status ?? 'running');
    given.push({ run, cursor, started: at, status, member, kind: 'task', ...(await describe(home, received)) });
  }
  return given;
}

type Received = Extract<Event, { type: 'task.received' }>['data'];
type Task = {
  received: Received | null;
  cursor: number;
  at: string;
  isSent: boolean;
  returned: { worker: string; status: string } | null;
};

function note(tasks: Map<string, Task>, { type, run, seq, at, data }: Line): void {
  if (run === null) return;
  const task = tasks.get(run) ?? { received: null, cursor: seq, at, isSent: false, returned: null };
  tasks.set(run, task);
  if (type === 'task.received') Object.assign(task, { received: data, cursor: seq, at });
  if (type === 'task.sent') task.isSent = true;
  if (type === 'task.returned') task.returned = data as Task['returned'];
}

/** What a member says about a task; anything else than a status is a failure. */
const statusOf = (status: string): RunStatus => RunStatus.safeParse(status).data ?? 'failed';

async function describe({ oka }: Home, { name, body }: Received): Promise<Pick<GivenRun, 'title' | 'tags'>> {
  try {
    const bytes = await openArtifacts(join(oka, 'artifacts'), redactShapes).get(body);
    const { title, task } = readTask(bytes, name);
    return { title, ...(task.tags === undefined ? {} : { tags: task.tags }) };
  } catch {
    return { title: name }; // its text was tidied away, or is no task: its name is left
  }
}
