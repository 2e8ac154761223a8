/**
 * Owns: what steps in progress write, as messages of the live stream: complete lines, redacted, a few times a second.
 *
 * 1. A chunk is redacted before it is published, in complete lines, so that no value is cut where nobody recognises it.
 * 2. A flood costs little: only the last lines of each interval are published.
 */
import type { Redact } from '../../schema/ports.ts';
import type { LiveMessage } from '../../schema/live.ts';
import type { LiveSteps, StepCall } from '../../schema/live-port.ts';
import type { LiveServer } from './live-server.ts';

const EVERY_MS = 150;
const MOST_CHARS = 4000;
/** An unfinished line that is this long is published as it is. */
const LONGEST_LINE = 2000;
const CHARS_PER_TOKEN = 4;

type Pending = StepCall & {
  kind: 'output' | 'text';
  decoder: InstanceType<typeof TextDecoder>;
  text: string;
  /** Characters of an answer. */
  chars: number;
  countedTokens: number;
};

export function publishSteps(server: LiveServer, redact: Redact): LiveSteps & { close: () => Promise<void> } {
  const pending = new Map<string, Pending>();
  let timer: NodeJS.Timeout | null = null;

  const stepOf = ({ run, node, call }: StepCall, kind: Pending['kind']): Pending => {
    const known = pending.get(call);
    if (known !== undefined) return known;
    const fresh = { run, node, call, kind, decoder: new TextDecoder(), text: '', chars: 0, countedTokens: 0 };
    pending.set(call, fresh);
    return fresh;
  };
  const add = (step: Pending, text: string): void => {
    step.text = (step.text + text).slice(-2 * MOST_CHARS);
    timer ??= setTimeout(flush, EVERY_MS).unref();
  };

  function flush(): void {
    timer = null;
    if (!server.isWatched()) return; // what is pending is bounded, and shown to the first who watches
    for (const step of pending.values()) for (const message of messagesOf(step, redact)) server.publish(message);
  }

  server.onReader(flush);
  return {
    isWatched: server.isWatched,
    output: (call, chunk) => {
      const step = stepOf(call, 'output');
      add(step, step.decoder.decode(chunk, { stream: true }));
    },
    answer: (call, { text = '', hidden = '' }) => {
      const step = stepOf(call, 'text');
      step.chars += text.length + hidden.length;
      add(step, text);
    },
    end: (call) => {
      const step = pending.get(call.call);
      if (step === undefined) return;
      step.text += step.text === '' || step.text.endsWith('\n') ? '' : '\n';
      pending.delete(call.call);
      if (!server.isWatched()) return;
      for (const message of messagesOf(step, redact)) server.publish(message);
      server.publish({ run: call.run, step: call.node, kind: 'end' });
    },
    close: () => {
      if (timer !== null) clearTimeout(timer);
      return server.close();
    },
  };
}

/** Takes the complete lines out of what a step has written, and counts. */
function messagesOf(step: Pending, redact: Redact): LiveMessage[] {
  const about = { run: step.run, step: step.node };
  const end = step.text.length > LONGEST_LINE ? step.text.length : step.text.lastIndexOf('\n') + 1;
  const text = redact(step.text.slice(0, end)).slice(-MOST_CHARS);
  step.text = step.text.slice(end);
  const tokens = Math.ceil(step.chars / CHARS_PER_TOKEN);
  const isNew = step.kind === 'text' && tokens !== step.countedTokens;
  step.countedTokens = tokens;
  return [
    ...(text.trim() === '' ? [] : [{ ...about, kind: step.kind, text }]),
    ...(isNew ? [{ ...about, kind: 'tokens' as const, count: tokens }] : []),
  ];
}
