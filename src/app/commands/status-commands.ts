/** What runs, what waits for the user, and the ledger in short. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { FailingChannel } from '../../rooms/channels/channels-status.ts';
import { hasChannels } from '../../rooms/channels/lazy-reaching.ts';
import { sandboxWarning } from '../../kit/sandbox/sandbox-warning.ts';
import { type DayBudgetStatus, describeDayLeft, readDayBudget } from '../../kit/policy/read-day-budget.ts';
import type { GivenTasks } from '../../kit/fleet/given-tasks.ts';
import { describeUnsent, hasFleet, readOverview, type UnsentTask } from '../../kit/fleet/fleet-overview.ts';
import type { DiskUse } from '../status/disk-use.ts';
import { type HomeStatus, readHomeStatus, readWorkerHealth, type WorkerHealth } from '../status/home-status.ts';
import { fleetEnvironment } from '../../kit/settings.ts';
import { readVerification } from '../../kit/home/verification-state.ts';
import { type Goal, standingOf } from '../../core/ledger/goal.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { describeSilence } from '../../core/ledger/pen-health.ts';
import { taskGraph } from '../../core/ledger/task-graph.ts';
import type { FleetOverview } from '../../core/schema/fleet.ts';
import type { Home } from '../../core/schema/home.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../kit/cli/command-module.ts';
import { deskAwaitedIn, describeDeskWait } from '../../kit/views/desk-wait.ts';
import { answerHint, describeWait } from '../../kit/views/event-sentence.ts';
import { fleetLines } from '../../rooms/fleet/fleet-text.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { bytes, count, fitText, indentWrapped, plainText } from '../../kit/cli/plain-text.ts';
import { requireHome } from '../../kit/cli/require-home.ts';
import { flag } from '../../kit/cli/options.ts';

type Health = WorkerHealth & { healthy: boolean };

type Status = HomeStatus & {
  dir: string;
  ledger: { events: number; bytes: number; head: string; fault: Fault | null; verified: Verified };
  /** Why commands run without a sandbox here; null when they are sandboxed, or when the worker is on another machine. */
  unsandboxed: string | null;
  /** What models may cost today, over all runs. */
  day_budget: DayBudgetStatus;
  goals: Goal[];
  ended: Goal[];
  /** Channels that fail. */
  channels: FailingChannel[];
  /** The fleet as the worker saw it last; null when this home works alone. */
  fleet: FleetOverview | null;
  /** What tasks of this home ask that others in its fleet work on. */
  asked: GivenTasks['waits'];
  /** Tasks of this home that the fleet does not take, and why. */
  unsent: UnsentTask[];
};

/** The last event that verification in the background has reached, and when; what it found damaged. */
type Verified = { up_to: number; at: string | null; damaged: number[] };

/** Lines about mistakes in the rules. */
const MOST_PROBLEMS = 5;

const LITTLE_DISK = 1e9;

type Fault = { seq: number; offset: number; reason: string };

export const commands: Commands = {
  status: command({
    summary: 'Show what runs, what waits for you, and the ledger in short',
    options: {
      health: flag('Only say whether a worker is running and responds; exit 1 if not.'),
      disk: flag('Only say what takes how much of the disk, and what of it goes when.'),
    },
    example: 'oka status',
    run: async (call: Call<{ health: boolean; disk: boolean }>): Promise<Answer<Health | Status | DiskUse>> => {
      const { home, options } = call;
      if (options.health) return checkHealth(home);
      await requireHome(home);
      if (options.disk) return answer(await readDisk(call));
      const { worker, silent_ms, rejected, untaken, schedules, ...condition } = await readHomeStatus(home);
      const { state, end, fault } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
      const ledger = { events: end.seq, bytes: end.offset, head: end.hash, fault, verified: verifiedIn(home) };
      const unsandboxed = worker === null || worker.host === hostname() ? await sandboxWarning(home) : null;
      const { goals, ended } = state;
      return answer(
        {
          dir: home.dir,
          worker,
          silent_ms,
          ...condition,
          ledger,
          unsandboxed,
          day_budget: await readDayBudget(home),
          goals,
          ended,
          rejected,
          untaken,
          schedules,
          channels: hasChannels(home)
            ? await (await import('../../rooms/channels/channels-status.ts')).readFailingChannels(home)
            : [],
          ...(await readFleet(home)),
        },
        fault === null && condition.history_problem === null ? exits.ok : exits.no,
      );
    },
    render: (data: Health | Status | DiskUse, terminal: Terminal): string =>
      'healthy' in data
        ? renderHealth(data)
        : 'parts' in data
          ? renderDisk(data, terminal)
          : renderStatus(data, terminal),
  }),
};

async function readDisk({ home, rooms, signal }: Pick<Call, 'home' | 'rooms' | 'signal'>): Promise<DiskUse> {
  const { loadRoomsConfig } = await import('../../kit/house/room-config.ts');
  const { readDiskUse } = await import('../status/disk-use.ts');
  return readDiskUse(home, (await loadRoomsConfig(home, rooms)).maintenance, signal);
}

function renderDisk({ dir, parts, bytes: all, now }: DiskUse, { bold, dim }: Terminal): string {
  const lines = parts.map(
    ({ part, bytes: size, goes }) => `  ${part.padEnd(10)} ${bytes(size).padStart(9)}  ${dim(goes)}`,
  );
  const gone =
    now === null
      ? 'nothing'
      : `${count(now.artifacts, 'artifact')}, ${count(now.outbox.length, 'result')} and ${count(now.tools.length, 'old version')} of tools, ${bytes(now.bytes)}`;
  return [
    `${bold('oka')} in ${dir} takes ${bytes(all)}`,
    ...lines,
    `  Tidying now would remove ${gone}: oka tidy`,
    '',
  ].join('\n');
}

/** Homes that work alone load nothing for it. */
async function readFleet(home: Home): Promise<Pick<Status, 'fleet' | 'asked' | 'unsent'>> {
  const isMember = fleetEnvironment() !== null;
  return {
    fleet: isMember ? readOverview(home) : null,
    asked: hasFleet(home) ? (await (await import('../../kit/fleet/given-tasks.ts')).readGiven(home)).waits : [],
    unsent: isMember ? (await import('../../kit/fleet/unsent-task.ts')).readUnsent(home) : [],
  };
}

function verifiedIn(home: Home): Verified {
  const { upTo, finished, faults } = readVerification(home, 'run');
  return { up_to: upTo, at: finished, damaged: faults.map(({ seq }) => seq) };
}

/** For supervisors and containers, which ask often: reads no ledger. */
function checkHealth(home: Home): Answer<Health> {
  const { worker, silent_ms } = readWorkerHealth(home);
  const healthy = worker !== null && silent_ms === null;
  return answer({ healthy, worker, silent_ms }, healthy ? exits.ok : exits.no);
}

function renderHealth({ worker, silent_ms }: Health): string {
  if (worker === null) return 'no worker is running\n';
  if (silent_ms !== null) return `process ${worker.pid} ${describeSilence(silent_ms)}\n`;
  return `process ${worker.pid} is working since ${worker.since}\n`;
}

function renderStatus(status: Status, terminal: Terminal): string {
  const { dir, worker, silent_ms, ledger, unsandboxed, goals, rejected } = status;
  const { bold, dim, green, red, yellow } = terminal;
  const tops = topGoals(goals);
  const waiting = goals.flatMap((goal) => goal.waits.filter(isForPeople)).length + status.asked.length;
  const process =
    worker === null
      ? dim('not running')
      : `${silent_ms === null ? green('running') : red(describeSilence(silent_ms))}, process ${worker.pid} on ${worker.host} since ${terminal.toMinute(worker.since)}`;
  const { events, fault } = ledger;
  const lines = [
    `${bold('oka')} in ${dir}`,
    `  worker  ${process}`,
    ...haltLines(status, terminal),
    `  ledger  ${count(events, 'event')}, ${bytes(ledger.bytes)}${events === 0 ? '' : `, head ${ledger.head.slice(0, 12)}`}`,
    ...(fault === null
      ? []
      : [`          ${red(`damaged at seq ${fault.seq}, byte ${fault.offset}`)}: ${fault.reason}; see oka verify`]),
    ...historyLines(status, terminal),
    ...verifiedLines(ledger.verified, terminal),
    ...conditionLines(status, terminal),
    ...budgetLines(status.day_budget, terminal),
    ...(unsandboxed === null ? [] : [`  sandbox ${yellow(unsandboxed)}`]),
    `  goals   ${goals.length + waiting === 0 ? dim('none active') : `${tops.length} active, ${waitingText(waiting)}`}`,
    ...tops.flatMap((goal) => goalLines(goal, goals, terminal)),
    ...fleetLines(status.fleet, status.asked, terminal),
    ...status.unsent.map((each) => `    ${yellow(`! ${plainText(describeUnsent(each))}`)}`),
    ...untakenLines(status.untaken, terminal),
    ...rejectedLines(rejected, terminal),
    ...scheduleLines(status.schedules, terminal),
    ...channelLines(status.channels, terminal),
  ];
  return `${lines.join('\n')}\n`;
}

function haltLines({ stopped_by, paused, dir, rules_problem }: Status, { red, yellow }: Terminal): string[] {
  const [first = '', ...more] = (rules_problem ?? '').split('\n').slice(0, MOST_PROBLEMS);
  return [
    ...(first === ''
      ? []
      : [`  rules   ${red(plainText(first))}`, ...more.map((line) => `          ${plainText(line.trim())}`)]),
    ...(stopped_by === 'file'
      ? [`  ${red('stopped')} nothing runs until you remove ${join(dir, '.oka', 'STOP')}`]
      : []),
    ...(stopped_by === 'fleet'
      ? [`  ${red('stopped')} the fleet is stopped; nothing runs until: oka fleet resume`]
      : []),
    ...(paused ? [`  ${yellow('paused')}  no new task begins until: oka unpause`] : []),
  ];
}

function conditionLines({ model, disk_free }: Status, { dim, red }: Terminal): string[] {
  const free = disk_free === null ? 'free space is unknown' : `${bytes(disk_free)} free`;
  return [
    `  model   ${model === null ? dim('none set; runbooks need none, tasks in prose wait for one') : plainText(model)}`,
    `  disk    ${disk_free !== null && disk_free < LITTLE_DISK ? red(`only ${free}`) : free}`,
  ];
}

function budgetLines(budget: DayBudgetStatus, { yellow }: Terminal): string[] {
  const left = describeDayLeft(budget);
  if (left === null) return [];
  const isUsedUp = Object.values(budget.left).includes(0);
  return [`  budget  ${isUsedUp ? yellow(`used up: ${left} left today`) : `${left} left today`}`];
}

/** What follows about goals may then be wrong: that is said first. */
function historyLines({ history_problem }: Status, terminal: Terminal): string[] {
  if (history_problem === null) return [];
  const { what, fix } = history_problem;
  return [
    terminal.red(indentWrapped(plainText(what), '          ', terminal)),
    indentWrapped(`What is shown here may be out of date. ${fix}`, '          ', terminal),
  ];
}

function verifiedLines({ up_to, at, damaged }: Verified, { dim, toMinute }: Terminal): string[] {
  if (damaged.length > 0 || at === null) return [];
  return [dim(`          verified up to event ${up_to} on ${toMinute(at)}`)];
}

function untakenLines({ total, names, why }: Status['untaken'], terminal: Terminal): string[] {
  if (total === 0 || why === null) return [];
  const more = total > names.length ? ` and ${total - names.length} more` : '';
  return [
    `  inbox   ${total === 1 ? '1 waits' : `${total} wait`} to be taken: ${plainText(why)}`,
    terminal.dim(indentWrapped(`${names.map(plainText).join(', ')}${more}`, '    ', terminal)),
  ];
}

function rejectedLines({ total, entries }: Status['rejected'], terminal: Terminal): string[] {
  const { dim, yellow } = terminal;
  if (total === 0) return [];
  const lines = entries.map(({ name, reason }) => indentWrapped(`${name}: ${reason}`, '    ', terminal));
  return [
    `  inbox   ${yellow(`${total} not accepted`)}, in workspace/inbox/rejected`,
    ...lines,
    ...(total > entries.length ? [`    and ${total - entries.length} more`] : []),
    dim('    correct a file and move it back into the inbox to try again'),
  ];
}

function channelLines(channels: readonly FailingChannel[], terminal: Terminal): string[] {
  return channels.map(
    ({ channel, since, problem }) =>
      `  channel ${terminal.red(channel)} has failed since ${terminal.toMinute(since)}: ${plainText(problem)}`,
  );
}

function scheduleLines(schedules: Status['schedules'], terminal: Terminal): string[] {
  if (schedules.length === 0) return [];
  const lines = schedules.map(({ schedule, reason }) => indentWrapped(`${schedule}: ${reason}`, '    ', terminal));
  return [`  schedules ${terminal.red(`${schedules.length} to check`)}, see oka schedule list`, ...lines];
}

function waitingText(waiting: number): string {
  if (waiting === 0) return 'nothing waits for you';
  return waiting === 1 ? '1 waits for you' : `${waiting} wait for you`;
}

/** Runs inside others are shown with them. */
function topGoals(goals: readonly Goal[]): Goal[] {
  const active = new Set(goals.map(({ run }) => run));
  return goals.filter(({ parent }) => parent === null || !active.has(parent));
}

function goalLines(goal: Goal, all: readonly Goal[], terminal: Terminal): string[] {
  const { dim, green, yellow, width } = terminal;
  const done = goal.nodes.filter((node) => node.status === 'done').length;
  const progress = goal.nodes.length === 0 ? goal.state : `${goal.state} ${done}/${goal.nodes.length}`;
  const status = standingOf(goal, (run) => all.find((each) => each.run === run));
  const desk = deskAwaitedIn(all, goal.run);
  const isAtWork = status === 'running' && desk === null;
  const mark = isAtWork ? green('●') : status === 'blocked' ? yellow('◐') : dim('○');
  const title = fitText(plainText(goal.title), width - 8 - progress.length - goal.run.length);
  const inside = all.filter(({ parent }) => parent === goal.run);
  return [
    `  ${mark} ${title}  ${dim(goal.run)}  ${progress}`,
    ...(goal.status === 'paused' ? [yellow(`      paused; continue it with: oka resume ${goal.run}`)] : []),
    ...inside.map((each) => stepLine(each, terminal)),
    ...(desk === null ? [] : [dim(indentWrapped(plainText(describeDeskWait(desk)), '      ', terminal))]),
    ...waitLines([goal, ...inside], goal.run, terminal),
  ];
}

function stepLine({ nodes }: Goal, { width }: Terminal): string {
  const done = nodes.filter((node) => node.status === 'done').length;
  const current = nodes.find((node) => node.status === 'running' || node.status === 'waiting');
  const about = current === undefined ? '' : `: ${plainText(current.title)}`;
  return fitText(`      ${done} of ${count(nodes.length, 'step')} done${about}`, width);
}

/** A unique beginning of its name answers a wait: the run, unless it waits for more than one thing. */
function waitLines(goals: readonly Goal[], run: string, terminal: Terminal): string[] {
  const { yellow, dim } = terminal;
  const waits = goals.flatMap((goal) => goal.waits);
  const answerable = waits.filter(isForPeople).length;
  return waits
    .filter(
      (wait) =>
        isForPeople(wait) || wait.for.kind === 'turn' || (wait.for.kind === 'timer' && wait.for.why !== undefined),
    )
    .flatMap(({ wait, for: awaited }) => [
      yellow(indentWrapped(`waits for ${describeWait(awaited)}`, '      ', terminal)),
      dim(`      ${answerHint(awaited, answerable === 1 ? run : wait)}`),
    ]);
}

function isForPeople({ for: { kind } }: Goal['waits'][number]): boolean {
  return kind !== 'child' && kind !== 'timer' && kind !== 'turn';
}
