/** The fleet in `oka status`: where the tasks of this home are, and what is done for them. */
import type { FleetOverview } from '../schema/fleet.ts';
import type { Terminal } from './io.ts';
import { count, fitText, plainText } from './plain-text.ts';

const MOST_TASKS = 10;

export function fleetLines(fleet: FleetOverview | null, { dim, green, yellow, width, toMinute }: Terminal): string[] {
  if (fleet === null) return [];
  const { at, members, queue, sent } = fleet;
  const waiting = queue.reduce((sum, each) => sum + each.waiting, 0);
  const lines = sent.slice(0, MOST_TASKS).map(({ run, at: member, progress }) => {
    const what = progress?.waits === null ? progress.step : progress === null ? null : `waits for ${progress.waits}`;
    const where =
      member === null ? 'in the queue' : `at ${member}${what === null || what === undefined ? '' : `: ${what}`}`;
    const mark = progress === null ? dim('○') : progress.status === 'running' ? green('●') : yellow('◐');
    return `    ${mark} ${fitText(plainText(`${run}  ${where}`), width - 8)}`;
  });
  return [
    `  fleet   ${count(members.length, 'member')}, ${waiting} waiting${dim(`, as of ${toMinute(at)}`)}`,
    ...(sent.length === 0 ? [] : [`    ${count(sent.length, 'task')} of this home given away:`, ...lines]),
    ...(sent.length > MOST_TASKS ? [dim(`      and ${sent.length - MOST_TASKS} more: oka fleet status`)] : []),
  ];
}
