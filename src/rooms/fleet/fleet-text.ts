/** The fleet in `oka status`: where the tasks of this home are, and what is done for them. */
import type { AskedElsewhere } from '../../kit/fleet/given-tasks.ts';
import type { FleetOverview } from '../../core/schema/fleet.ts';
import { answerHint } from '../../kit/views/event-sentence.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { count, fitText, plainText } from '../../kit/cli/plain-text.ts';

const MOST_TASKS = 10;

export function fleetLines(
  fleet: FleetOverview | null,
  asked: readonly AskedElsewhere[],
  { dim, green, yellow, width, toMinute }: Terminal,
): string[] {
  if (fleet === null) return [];
  const { at, members, queue, sent } = fleet;
  const waiting = queue.reduce((sum, each) => sum + each.waiting, 0);
  const lines = sent.slice(0, MOST_TASKS).flatMap(({ run, at: member, progress }) => {
    const what = progress?.waits === null ? progress.step : progress === null ? null : `waits for ${progress.waits}`;
    const where =
      member === null ? 'in the queue' : `at ${member}${what === null || what === undefined ? '' : `: ${what}`}`;
    const mark = progress === null ? dim('○') : progress.status === 'running' ? green('●') : yellow('◐');
    const hints = asked.filter(({ wait }) => wait.startsWith(`${run}.`)).map((each) => answerHint(each.for, each.wait));
    return [
      `    ${mark} ${fitText(plainText(`${run}  ${where}`), width - 8)}`,
      ...hints.map((hint) => dim(`      ${hint}`)),
    ];
  });
  const others = asked.filter(({ home }) => home !== null);
  const otherLines = others
    .slice(0, MOST_TASKS)
    .flatMap(({ title, for: awaited, wait }) => [
      `    ${yellow('◐')} ${fitText(plainText(title), width - 8)}`,
      dim(`      ${answerHint(awaited, wait)}`),
    ]);
  return [
    `  fleet   ${count(members.length, 'member')}, ${waiting} waiting${dim(`, as of ${toMinute(at)}`)}`,
    ...(sent.length === 0 ? [] : [`    ${count(sent.length, 'task')} of this home given away:`, ...lines]),
    ...(others.length === 0 ? [] : [`    ${count(others.length, 'question')} of tasks of other homes:`, ...otherLines]),
    ...(sent.length > MOST_TASKS ? [dim(`      and ${sent.length - MOST_TASKS} more: oka fleet status`)] : []),
  ];
}
