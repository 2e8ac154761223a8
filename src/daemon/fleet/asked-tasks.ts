/**
 * Owns: what tasks of this home that others work on ask people, so that they can be answered here.
 *
 * The stream of a run has its waits. It is read when the member that works on it reports that it waits for somebody, and
 * for as long as something is open here. What is written there is the word of another member: only waits of that task
 * count.
 */
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { foldHistory, type RunHistory, type StoredEvent } from '../../fleet/run-owner.ts';
import { AskedWait, type TaskAsked } from '../../schema/fleet-requests.ts';
import { isForPeople } from '../../views/waiting-query.ts';
import { ports } from '../room-ports.ts';
import { fleetRuns } from './fleet-runs.ts';
import type { Work } from './work-in-progress.ts';

const LOOK_MS = 2500;
const MOST_WAITS = 20;

export async function followAskedTasks(work: Work): Promise<void> {
  const { host, member, signal } = work;
  const { sent, claimed, asked } = host.valuesOf({ projections: ports.projections }).projections.stateOf(fleetRuns);
  const given = sent.filter((task) => claimed[task] === undefined);
  const members = given.length === 0 ? [] : await member.members.list();
  const waiting = new Set(
    members.flatMap(({ doing }) => doing.filter(({ waits }) => waits !== null).map(({ run }) => run)),
  );
  for (const task of given) if (waiting.has(task) || asked[task] !== undefined) await lookAt(work, task, asked[task]);
  await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
}

async function lookAt({ host, member, looked }: Work, task: string, before: TaskAsked | undefined): Promise<void> {
  const last = await member.log.last(task);
  if (last === null || looked.get(task) === last.sequence) return;
  const history = foldHistory(await member.log.read(task));
  const now = askedIn(task, history);
  const isSame = isDeepStrictEqual(now?.waits ?? [], before?.waits ?? []) && now?.worker === before?.worker;
  if (now !== null && !isSame && (now.waits.length > 0 || before !== undefined))
    await host.valuesOf({ ledger: ports.ledger }).ledger.append({ type: 'task.asked', run: task, data: now });
  looked.set(task, history.last);
}

/** What is open according to the events of a task; null when nobody has claimed it. */
export function askedIn(task: string, { owner, events, isReturned }: RunHistory): TaskAsked | null {
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
