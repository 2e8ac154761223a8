/** What runs do right now, by the live stream: the last line that a command wrote, how much a model has answered. */
import { followLive } from '../socket/follow-live.ts';
import type { Home } from '../../core/schema/home.ts';
import type { LiveMessage } from '../../core/schema/live.ts';
import { fitText, plainText } from './plain-text.ts';

export type Activity = {
  /** One line for each step of a run that does something now. */
  linesOf: (run: string, width: number) => string[];
};

const MOST_STEPS = 3;

export function openActivity(home: Home, signal: AbortSignal): Activity {
  const steps = new Map<string, LiveMessage>();
  void followLive(home, signal, (message) => {
    const key = JSON.stringify([message.run, message.step]);
    steps.delete(key);
    if (message.kind === 'output' || message.kind === 'tokens') steps.set(key, message);
  });
  return {
    linesOf: (run, width) =>
      [...steps.values()]
        .filter((message) => message.run === run)
        .slice(-MOST_STEPS)
        .map((message) => fitText(describeActivity(message), width)),
  };
}

function describeActivity(message: LiveMessage): string {
  switch (message.kind) {
    case 'output':
    case 'text':
      return `> ${lastLine(message.text)}`;
    case 'tokens':
      return `the model answers: ${message.count.toLocaleString('en')} tokens`;
    case 'end':
      return '';
  }
}

/** A progress bar draws over its own line: what counts is what stands there last. */
function lastLine(text: string): string {
  const lines = text.split(/[\r\n]/).map((line) => plainText(line).trim());
  return lines.findLast((line) => line !== '') ?? '';
}
