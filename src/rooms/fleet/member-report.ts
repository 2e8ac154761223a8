/** Owns: what a member tells the others about itself, and the file with the fleet as it sees it, for faces. */
import type { Goal } from '../../core/ledger/goal.ts';
import { replaceFile } from '../../core/ledger/disk.ts';
import type { FleetOverview, MemberMessage, TaskProgress } from '../../core/schema/fleet.ts';
import { describeWait } from '../../kit/views/event-sentence.ts';
import { isPaused, isStopped } from '../../kit/home/stop-files.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { fleetEnvironment, programVersion } from '../../kit/settings.ts';
import { isDrainingMember } from './follow-orders.ts';
import { overviewFile } from '../../kit/fleet/fleet-overview.ts';
import { fleetRuns } from '../../kit/fleet/fleet-runs.ts';
import type { Work } from './work-in-progress.ts';
import { pause } from '../../kit/pause.ts';

const REPORT_MS = 5000;
const MOST_TEXT = 1000;
const MOST_RUNS = 1000;

export async function reportMember(work: Work): Promise<void> {
  const { member, signal, host, fenced } = work;
  await member.members.report({
    name: member.name,
    version: programVersion(),
    labels: [...member.labels],
    slots: host.backend.capabilities().slots,
    runs: member.owned.tasks().slice(0, MOST_RUNS),
    fenced: fenced.count,
    state: stateOf(work),
    doing: progressOf(work).slice(0, MOST_RUNS),
    answers: member.answers,
    process: member.fence.process,
    at: new Date().toISOString(),
  });
  await writeOverview(work);
  await pause(REPORT_MS, signal);
}

function stateOf(work: Work): MemberMessage['state'] {
  const { home } = work.host;
  if (isStopped(home)) return 'stopped';
  if (isDrainingMember(work)) return work.active.size === 0 ? 'drained' : 'draining';
  return isPaused(home) ? 'paused' : 'working';
}

function progressOf({ host, active }: Work): TaskProgress[] {
  const { goals } = host.valuesOf({ taskGraph: ports.taskGraph }).taskGraph();
  return [...active].map(([run, { taken }]) => {
    const own = goals.filter((goal) => goal.run === run || goal.run.startsWith(`${run}.`));
    const [task] = own;
    const wait = own.flatMap(({ waits }) => waits).find(({ for: { kind } }) => kind !== 'child');
    return {
      run,
      home: taken.task.home,
      title: (task?.title ?? taken.task.name).slice(0, MOST_TEXT),
      status: task === undefined || isAwaitingPart(task, wait) ? 'running' : task.status,
      step: own.map(currentStep).findLast((step) => step !== null) ?? null,
      waits: wait === undefined ? null : describeWait(wait.for).slice(0, MOST_TEXT),
    };
  });
}

/** A task that only waits for a run inside it is being worked on. */
const isAwaitingPart = ({ status }: Goal, wait: unknown): boolean => status === 'blocked' && wait === undefined;

const currentStep = ({ nodes }: Goal): string | null =>
  nodes.find(({ status }) => status === 'running' || status === 'waiting')?.title.slice(0, MOST_TEXT) ?? null;

async function writeOverview({ host, member }: Work): Promise<void> {
  const { projections } = host.valuesOf({ projections: ports.projections });
  const { sent } = projections.stateOf(fleetRuns);
  const [members, stopped, queue] = await Promise.all([
    member.members.list(),
    member.orders.read(null),
    member.queue.overview(),
  ]);
  const drained = await Promise.all(members.map(({ name }) => member.orders.read(name)));
  const workers = new Map(
    members.flatMap(({ name, doing }) => doing.map((each) => [each.run, { name, each }] as const)),
  );
  const overview: FleetOverview = {
    at: new Date().toISOString(),
    member: member.name,
    servers: fleetEnvironment()?.servers ?? [],
    stopped: stopped?.isHalted === true ? { isHalted: true, by: stopped.by, at: stopped.at } : null,
    members: members.map((each, index) => ({ ...each, isDrained: drained[index]?.isHalted === true })),
    ...queue,
    sent: sent.map((run) => ({ run, at: workers.get(run)?.name ?? null, progress: workers.get(run)?.each ?? null })),
  };
  replaceFile(overviewFile(host.home), `${JSON.stringify(overview)}\n`);
}
