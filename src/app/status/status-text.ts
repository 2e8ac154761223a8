/** What `oka status` prints. */
import { join } from 'node:path';
import { describeSilence } from '../../core/ledger/pen-health.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { bytes, count, indentWrapped, plainText } from '../../kit/cli/plain-text.ts';
import type { FailingChannel } from '../../rooms/channels/channels-status.ts';
import { describeUnsent } from '../../kit/fleet/fleet-overview.ts';
import { type DayBudgetStatus, describeDayLeft } from '../../kit/policy/read-day-budget.ts';
import type { Status, Verified } from './read-status.ts';

/** Lines about mistakes in the rules. */
const MOST_PROBLEMS = 5;

const LITTLE_DISK = 1e9;

/** `goals` are the lines of what is active (goals-text.ts); null where nothing is. */
export function statusText(status: Status, goals: readonly string[] | null, terminal: Terminal): string {
  const { dir, worker, silent_ms, ledger, unsandboxed, rejected } = status;
  const { bold, dim, green, red, yellow } = terminal;
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
    ...(goals ?? [`  goals   ${dim('none active')}`]),
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
