/**
 * Owns: what tasks that others work on ask people, so that they can be answered here: those of this home, and those of
 * members that name this one in OKA_FLEET_ANSWERS and are named here.
 *
 * The stream of a run has its waits. It is read when the member that works on it reports that it waits for somebody, and
 * for as long as something is open here. What is written there is the word of another member: only waits of that task
 * count.
 */
import { isDeepStrictEqual } from 'node:util';
import { foldHistory, type RunHistory, type StoredEvent } from './servers/run-owner.ts';
import { AskedWait, type TaskAsked } from '../../core/schema/fleet-requests.ts';
import type { MemberMessage } from '../../core/schema/fleet.ts';
import { includesMember } from '../../core/schema/answer-rights.ts';
import { isForPeople } from '../../kit/views/waiting-query.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import type { FleetMember } from './fleet-member.ts';
import { fleetRuns } from '../../kit/fleet/fleet-runs.ts';
import type { Work } from './work-in-progress.ts';
import { pause } from '../../kit/pause.ts';

const LOOK_MS = 2500;
const MOST_WAITS = 20;

export async function followAskedTasks(work: Work): Promise<void> {
  const { host, member, signal } = work;
  const { sent, claimed, asked } = host.valuesOf({ projections: ports.projections }).projections.stateOf(fleetRuns);
  const isAlone = sent.length === 0 && Object.keys(asked).length === 0 && !hearsOthers(member);
  const members = isAlone ? [] : await member.members.list();
  const answerable = new Set(members.filter((other) => isAnsweredBy(other, member)).map(({ name }) => name));
  const waiting = new Map(
    members.flatMap(({ name, doing }) =>
      doing.flatMap(({ run, home, waits }) =>
        waits !== null && (sent.includes(run) || answerable.has(name)) ? [[run, home] as const] : [],
      ),
    ),
  );
  for (const task of new Set([...waiting.keys(), ...Object.keys(asked)])) {
    if (claimed[task] !== undefined) continue;
    const home = sent.includes(task) ? null : (waiting.get(task) ?? asked[task]?.home ?? null);
    await lookAt(work, task, { before: asked[task], home, answerable });
  }
  await pause(LOOK_MS, signal);
}

const hearsOthers = ({ answers }: FleetMember): boolean => answers === 'fleet' || Array.isArray(answers);

/** Both have to say so: nobody fills the pages of a home that does not want to answer for others. */
const isAnsweredBy = ({ name, answers }: MemberMessage, member: FleetMember): boolean =>
  name !== member.name &&
  answers !== undefined &&
  includesMember(answers, member.name) &&
  includesMember(member.answers, name);

type Looking = {
  before: TaskAsked | undefined;
  /** The home of the task; null when it is this one. */
  home: string | null;
  /** Members whose questions may be answered here. */
  answerable: ReadonlySet<string>;
};

async function lookAt({ host, member, looked }: Work, task: string, looking: Looking): Promise<void> {
  const { before, home, answerable } = looking;
  const last = await member.log.last(task);
  if (last === null || looked.get(task) === last.sequence) return;
  const history = foldHistory(await member.log.read(task));
  const found = askedIn(task, history);
  const now = found === null || home === null ? found : ofAnother(found, home, answerable);
  const isSame = isDeepStrictEqual(now?.waits ?? [], before?.waits ?? []) && now?.worker === before?.worker;
  if (now !== null && !isSame && (now.waits.length > 0 || before !== undefined))
    await host.valuesOf({ ledger: ports.ledger }).ledger.append({ type: 'task.asked', run: task, data: now });
  looked.set(task, history.last);
}

/** Another member that has taken it over may not want to be answered from here. */
const ofAnother = (asked: TaskAsked, home: string, answerable: ReadonlySet<string>): TaskAsked => ({
  ...asked,
  home,
  title: `${asked.title.slice(0, 700)} (a task of ${home}, at ${asked.worker})`,
  waits: answerable.has(asked.worker) ? asked.waits : [],
});

/** What is open according to the events of a task; null when nobody has claimed it. */
function askedIn(task: string, { owner, events, isReturned }: RunHistory): TaskAsked | null {
  if (owner === null) return null;
  const open = new Map<string, AskedWait & { run: string }>();
  let title = task;
  for (const { type, run, data } of isReturned ? [] : events.map(toParts)) {
    if (type === 'run.started' && run === task && typeof data['title'] === 'string') title = data['title'];
    if (type === 'wait.closed') open.delete(String(data['wait']));
    if (type === 'run.ended') for (const [wait, each] of open) if (each.run === run) open.delete(wait);
    if (type !== 'wait.opened') continue;
    const { wait, node, for: awaited } = data;
    const { success, data: asked } = AskedWait.safeParse({ wait, node, for: awaited });
    if (success && asked.wait.startsWith(`${task}.`) && isForPeople(asked.for)) open.set(asked.wait, { ...asked, run });
  }
  const waits = [...open.values()]
    .slice(0, MOST_WAITS)
    .map(({ wait, node, for: awaited }) => ({ wait, node, for: awaited }));
  return { worker: owner.worker, title: title.slice(0, 1000), waits };
}

function toParts({ type, run, ...rest }: StoredEvent): { type: string; run: string; data: Record<string, unknown> } {
  const { data } = rest as { data?: unknown };
  return { type, run, data: typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {} };
}
