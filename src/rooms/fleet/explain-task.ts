/** `oka fleet why <task>`: where a task of the fleet is, and why nobody has taken it. */
import { runLog } from './servers/run-log.ts';
import { foldHistory, type RunHistory } from './servers/run-owner.ts';
import type { FleetConnection } from './servers/connect-fleet.ts';
import { failedServers } from './servers/failed-servers.ts';
import { findStream } from './servers/fleet-streams.ts';
import { FILES_STREAM, RUNS, TASKS } from './servers/fleet-subjects.ts';
import { describeMissing, missingMembers } from './servers/refilled-stream.ts';
import type { MemberMessage } from '../../core/schema/fleet.ts';
import type { Home } from '../../core/schema/home.ts';
import { damageProblem } from './can-replay.ts';
import { type FleetAccess, requireStream, withFleet } from './fleet-access.ts';
import { isSilent } from './member-watch.ts';
import { describeUnsent } from '../../kit/fleet/fleet-overview.ts';
import { readUnsent } from '../../kit/fleet/unsent-task.ts';

export type TaskExplanation = {
  task: string;
  state: 'waiting' | 'taken' | 'returned' | 'unknown';
  /** Who works on it, or did so last. */
  member: string | null;
  epoch: number;
  reasons: string[];
  /** What keeps each member from taking it; empty when nothing does. */
  members: { member: string; why: string }[];
};

export async function explainTask(home: Home, task: string): Promise<TaskExplanation> {
  return withFleet(home, async (access) => {
    const { connection, queue, known } = access;
    const history = foldHistory(await runLog(connection, await requireStream(access)).read(task));
    const [queued, members, orders] = [await queue.find(task), await access.openMembers(), await access.openOrders()];
    const list = await members.list();
    const isStopped = (await orders.read(null))?.isHalted === true;
    const drained = await Promise.all(list.map(async ({ name }) => (await orders.read(name))?.isHalted === true));
    const worker = list.find(({ runs }) => runs.includes(task));
    const whys = list.map((member, index) => ({
      member: member.name,
      why: obstaclesOf(member, queued?.needs ?? [], drained[index] === true).join('; '),
    }));
    const place = { task, member: worker?.name ?? history.owner?.worker ?? null, epoch: history.owner?.epoch ?? 0 };
    if (history.isReturned)
      return { ...place, state: 'returned', reasons: [`${place.member} has returned its result`], members: [] };
    const unsent = readUnsent(home).find((each) => each.task === task);
    if (queued === null && unsent !== undefined)
      return { ...place, state: 'waiting', reasons: [describeUnsent(unsent)], members: [] };
    if (queued === null) return { ...place, state: 'unknown', reasons: absenceOf(task, known.sent), members: [] };
    if (worker !== undefined && !isSilent(worker))
      return {
        ...place,
        state: 'taken',
        reasons: [progressOf(worker, task), ...(await fullReasons(access))],
        members: [],
      };
    const reasons = [
      ...(await refillReasons(connection)),
      ...damageReasons(history, known.claimed[task]?.epoch ?? 0),
      ...(isStopped ? ['the fleet is stopped; go on with: oka fleet resume'] : []),
      ...lastOwnerReason(history.owner?.worker ?? null, worker),
      ...missingLabels(queued.needs, list),
      ...(await fullReasons(access)),
      ...(list.length === 0 ? ['no member has ever reported; start one: oka up'] : []),
    ];
    const isFree = reasons.length === 0 && whys.some(({ why }) => why === '');
    return {
      ...place,
      state: 'waiting',
      reasons: isFree ? ['it will be taken within seconds'] : reasons,
      members: whys,
    };
  });
}

/** Nobody claims anything in a stream that was created again, until every member has refilled it. */
async function refillReasons(connection: FleetConnection): Promise<string[]> {
  const found = await findStream(connection, RUNS);
  const missing = found === null ? [] : await missingMembers(connection, found);
  const { message, fix } = describeMissing(missing);
  return missing.length === 0 ? [] : [`${message}. ${fix}`];
}

function damageReasons(history: RunHistory, epoch: number): string[] {
  const problem = damageProblem(history, epoch);
  return problem === null ? [] : [problem];
}

function obstaclesOf(member: MemberMessage, needs: readonly string[], isDrained: boolean): string[] {
  const missing = needs.filter((need) => !member.labels.includes(need));
  return [
    ...(isSilent(member) ? [`it has not reported since ${member.at}`] : []),
    ...(missing.length === 0 ? [] : [`it does not have ${missing.join(', ')}`]),
    ...(isDrained ? ['it is drained'] : member.state === 'draining' ? ['its worker is about to end'] : []),
    ...(member.state === 'paused' || member.state === 'stopped' ? [`it is ${member.state}`] : []),
    ...(member.doing.filter(({ status }) => status === 'running').length >= member.slots ? ['it is full'] : []),
  ];
}

function missingLabels(needs: readonly string[], members: readonly MemberMessage[]): string[] {
  const missing = needs.filter((need) => !members.some(({ labels }) => labels.includes(need)));
  return missing.map((need) => `no member has the label ${need}; set OKA_FLEET_LABELS=${need} where it can be done`);
}

function lastOwnerReason(owner: string | null, worker: MemberMessage | undefined): string[] {
  if (worker !== undefined) return [`${worker.name} worked on it, and has not reported since ${worker.at}`];
  return owner === null ? [] : [`${owner} had it last, and does not work on it now`];
}

function progressOf({ name, doing }: MemberMessage, task: string): string {
  const progress = doing.find(({ run }) => run === task);
  const what = progress?.waits === null || progress === undefined ? progress?.step : `waits for ${progress.waits}`;
  return `${name} works on it${what === null || what === undefined ? '' : `: ${what}`}`;
}

const absenceOf = (task: string, sent: readonly string[]): string[] =>
  sent.includes(task)
    ? ['this home has sent it, and the queue does not have it; if it has no result soon, give it again: oka again']
    : ['neither the queue nor this home knows it; if its file is still in the inbox, oka status says why'];

const NEARLY_FULL = 0.98;

/** The servers refuse what does not fit: tasks stay in the inbox, and runs wait. */
async function fullReasons({ connection, environment }: FleetAccess): Promise<string[]> {
  const { storage, limits } = await connection.manager.getAccountInfo();
  const reasons = await failedServers(environment.monitors);
  if (isFull(storage, limits.max_storage))
    reasons.push(`the servers have no space left (${storage} of ${limits.max_storage} bytes)`);
  for (const name of [TASKS, RUNS, FILES_STREAM]) {
    const found = await findStream(connection, name);
    if (found !== null && isFull(found.state.bytes, found.config.max_bytes))
      reasons.push(`the stream ${name} has no space left (${found.state.bytes} of ${found.config.max_bytes} bytes)`);
  }
  return reasons;
}

const isFull = (bytes: number, limit: number): boolean => limit > 0 && bytes >= NEARLY_FULL * limit;
