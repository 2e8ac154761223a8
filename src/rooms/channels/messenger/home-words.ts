/**
 * Owns: what a paired person is told who asks how things are: the owner of everything, others of the tasks that they have
 * sent. Pure.
 */
import { type DaySpendingState, spentToday } from '../../../core/guard/day-spending.ts';
import type { PairedPerson } from '../../../core/schema/channel-port.ts';
import type { Undone } from '../../../kit/desk/snapshots.ts';
import { count } from '../../../core/schema/readable-text.ts';
import { channelState, type Reaching, type Thing } from '../reaching-state.ts';

/** Who asks, and where. */
type Asker = { channel: string; by: Pick<PairedPerson, 'person' | 'chat'> };

type Home = { state: Reaching; spending: DaySpendingState; now: number };

const MOST_LISTED = 20;

export function statusWords(home: Home, asker: Asker): string {
  const { running, waiting, ended } = tasksOf(home.state, asker);
  const failed = ended.filter(({ kind }) => kind === 'failed').length;
  return [
    running.length === 0 ? 'Nothing is in progress.' : `In progress: ${running.length}.`,
    ...(waiting.length === 0 ? [] : [`Waiting for an answer: ${waiting.length}.`]),
    `Ended within a day: ${ended.length}${failed === 0 ? '' : `, ${failed} of them failed`}.`,
    ...(isOwner(home.state, asker) ? [costWords(home)] : []),
  ].join('\n');
}

export function tasksWords({ state }: Home, asker: Asker): string {
  const { running, waiting, ended } = tasksOf(state, asker);
  const asking = new Set(waiting.map(({ run }) => run));
  const lines = [
    ...running.map(([run, title]) => `- ${title} (${asking.has(run) ? 'waits for an answer' : 'in progress'})`),
    ...ended.toReversed().map(({ title, kind }) => `- ${title} (${kind})`),
  ];
  if (lines.length === 0) return 'There was no task within a day.';
  const more = lines.length - MOST_LISTED;
  return [...lines.slice(0, MOST_LISTED), ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

export function costWords({ spending, now }: Home): string {
  const { usd, tokens, calls } = spentToday(spending, now);
  const parts = [`${calls} calls of models`, `${tokens} tokens`, `${usd.toFixed(2)} USD`];
  const { limits } = spending;
  const limit = [
    ...(limits.usd === undefined ? [] : [`${limits.usd} USD`]),
    ...(limits.tokens === undefined ? [] : [`${limits.tokens} tokens`]),
    ...(limits.calls === undefined ? [] : [`${limits.calls} calls`]),
  ];
  return `Today: ${parts.join(', ')}${limit.length === 0 ? '' : `, of ${limit.join(' and ')} a day`}.`;
}

/** Whether they may undo it: the owner everything, others what they have asked for. */
export function mayUndo(state: Reaching, asker: Asker, run: string): boolean {
  return isOwner(state, asker) || isSentBy(state, asker, run);
}

/** The task that they sent last from here; null when they have sent none. */
export function lastTask(state: Reaching, asker: Asker): { run: string; title: string; isOver: boolean } | null {
  const run = Object.keys(state.origins).findLast((each) => isSentBy(state, asker, each));
  if (run === undefined) return null;
  return { run, title: state.origins[run]?.thread?.subject ?? run, isOver: state.runs[run] === undefined };
}

export function undoneWords({ restored, removed, overlaps, notRestorable }: Undone): string {
  const left = [...overlaps, ...notRestorable];
  return [
    `Undone: ${count(restored.length, 'file')} as before, ${removed.length} removed.`,
    ...left.slice(0, MOST_LISTED).map(({ path, why }) => `- left: ${path}: ${why}`),
    ...(left.length > MOST_LISTED ? [`and ${left.length - MOST_LISTED} more`] : []),
  ].join('\n');
}

type Tasks = { running: [run: string, title: string][]; waiting: Thing[]; ended: Thing[] };

function tasksOf(state: Reaching, asker: Asker): Tasks {
  const isShown = (run: string | null): boolean =>
    isOwner(state, asker) || (run !== null && isSentBy(state, asker, run));
  const things = Object.values(state.things).filter(({ run, to }) => to === undefined && isShown(run));
  return {
    running: Object.entries(state.runs).flatMap(([run, { title, root }]) =>
      root === run && isShown(run) ? [[run, title] as [string, string]] : [],
    ),
    waiting: things.filter(({ wait }) => wait !== null),
    ended: things.filter(({ kind }) => kind === 'done' || kind === 'failed'),
  };
}

function isOwner(state: Reaching, { channel, by }: Asker): boolean {
  const [owner] = channelState(state, channel).paired ?? [];
  return owner?.person === by.person && owner.chat === by.chat;
}

function isSentBy({ origins }: Reaching, { channel, by }: Asker, run: string): boolean {
  return origins[run]?.channel === channel && origins[run].from === by.person;
}
