/** What each step that is in progress has written lately, for a page that begins to show it only now. */
import type { LiveMessage } from '../../../core/schema/live.ts';

type LatestLive = {
  note: (message: LiveMessage) => void;
  values: () => LiveMessage[];
};

/** A step whose end was missed is dropped when this many others have written since. */
const MOST_STEPS = 100;
const MOST_TEXT = 4000;

export function latestByStep(): LatestLive {
  const latest = new Map<string, LiveMessage[]>();
  return {
    note: (message) => {
      const step = JSON.stringify([message.run, message.step]);
      const before = latest.get(step) ?? [];
      latest.delete(step);
      if (message.kind !== 'end') latest.set(step, joinMessage(before, message));
      const [oldest] = latest.keys();
      if (latest.size > MOST_STEPS && oldest !== undefined) latest.delete(oldest);
    },
    values: () => [...latest.values()].flat(),
  };
}

/** At most one message of a kind: the latest, with the end of the text before it. */
function joinMessage(before: readonly LiveMessage[], message: LiveMessage): LiveMessage[] {
  const same = before.find(({ kind }) => kind === message.kind);
  const others = before.filter((each) => each !== same);
  if (!('text' in message) || same === undefined || !('text' in same)) return [...others, message];
  return [...others, { ...message, text: (same.text + message.text).slice(-MOST_TEXT) }];
}
