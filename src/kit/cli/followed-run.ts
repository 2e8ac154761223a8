/** What is shown of a run while it is followed. */
import type { Line } from '../../core/schema/event.ts';
import type { LiveMessage } from '../../core/schema/live.ts';
import { describeEvent } from '../views/event-sentence.ts';
import type { Terminal } from './io.ts';
import { fitText, plainText } from './plain-text.ts';

export type FollowedRun = { event: Line } | { live: LiveMessage };

/**
 * A model writes in pieces, often less than a word. For people they are joined: whole lines are passed on as they come,
 * the rest of a line before the next event of its run, and at the end, with `flush`.
 */
export function joinPieces(emit: (data: FollowedRun) => void): {
  emit: (data: FollowedRun) => void;
  flush: () => void;
} {
  const begun = new Map<string, LiveMessage & { kind: 'text' }>();
  const flush = (isMeant: (message: LiveMessage) => boolean): void => {
    for (const [key, live] of begun) {
      if (!isMeant(live)) continue;
      begun.delete(key);
      emit({ live });
    }
  };
  const join = (live: LiveMessage & { kind: 'text' }): void => {
    const key = JSON.stringify([live.run, live.step]);
    const text = (begun.get(key)?.text ?? '') + live.text;
    const end = text.lastIndexOf('\n') + 1;
    begun.set(key, { ...live, text: text.slice(end) });
    if (end > 0) emit({ live: { ...live, text: text.slice(0, end) } });
  };
  return {
    emit: (data) => {
      if ('live' in data && data.live.kind === 'text') return join(data.live);
      if ('event' in data) flush(({ run }) => run === data.event.run);
      else if (data.live.kind === 'end') flush(({ run, step }) => run === data.live.run && step === data.live.step);
      emit(data);
    },
    flush: () => flush(() => true),
  };
}

export function renderFollowed(data: FollowedRun, { dim, width, isTerminal, toTimeOfDay }: Terminal): string {
  if ('event' in data) {
    const line = `${toTimeOfDay(data.event.at)}  ${describeEvent(data.event)}`;
    return `${isTerminal ? fitText(line, width) : line}\n`;
  }
  if (data.live.kind !== 'output' && data.live.kind !== 'text') return '';
  const lines = data.live.text.split('\n').map((line) => plainText(line.split('\r').findLast(Boolean) ?? ''));
  return lines.flatMap((line) => (line.trim() === '' ? [] : [`${dim(`  ${line}`)}\n`])).join('');
}
