/** What is shown of a run while it is followed. */
import type { Line } from '../schema/event.ts';
import type { LiveMessage } from '../schema/live.ts';
import { describeEvent } from '../views/event-sentence.ts';
import type { Terminal } from './io.ts';
import { fitText, plainText } from './plain-text.ts';

export type FollowedRun = { event: Line } | { live: LiveMessage };

export function renderFollowed(data: FollowedRun, { dim, width, isTerminal, toTimeOfDay }: Terminal): string {
  if ('event' in data) {
    const line = `${toTimeOfDay(data.event.at)}  ${describeEvent(data.event)}`;
    return `${isTerminal ? fitText(line, width) : line}\n`;
  }
  if (data.live.kind !== 'output' && data.live.kind !== 'text') return '';
  const lines = data.live.text.split('\n').map((line) => plainText(line.split('\r').findLast(Boolean) ?? ''));
  return lines.flatMap((line) => (line.trim() === '' ? [] : [`${dim(`  ${line}`)}\n`])).join('');
}
