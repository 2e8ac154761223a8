/**
 * Owns: what steps in progress write, as messages of the live stream: complete lines, redacted, a few times a second.
 *
 * 1. A chunk is redacted before it is published, in complete lines, so that no value is cut where nobody recognises it.
 *    Replies of conversations are published word by word (word-stream.ts).
 * 2. A flood costs little: only the last lines of each interval are published.
 */
import { noticeOfRun } from '../../core/schema/chat-names.ts';
import type { Redact } from '../../core/schema/ports.ts';
import type { LiveMessage } from '../../core/schema/live.ts';
import type { LiveSteps, StepCall } from '../../core/schema/live-port.ts';
import type { LiveServer } from './live-server.ts';
import { openWordStream, type WordStream } from './word-stream.ts';

const EVERY_MS = 150;
/** Words of a reply are published this often; the first ones at once. */
const WORDS_MS = 15;
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
  /** Only for replies of conversations. */
  words: WordStream | null;
};

export function publishSteps(server: LiveServer, redact: Redact): LiveSteps & { close: () => Promise<void> } {
  const pending = new Map<string, Pending>();
  let timer: NodeJS.Timeout | null = null;
  let wordsTimer: NodeJS.Timeout | null = null;

  const stepOf = ({ run, node, call }: StepCall, kind: Pending['kind']): Pending => {
    const known = pending.get(call);
    if (known !== undefined) return known;
    const words = kind === 'text' && noticeOfRun(run) !== null ? openWordStream(redact) : null;
    const fresh = { run, node, call, kind, decoder: new TextDecoder(), text: '', chars: 0, countedTokens: 0, words };
    pending.set(call, fresh);
    return fresh;
  };
  const add = (step: Pending, text: string): void => {
    const isFirst = step.chars === text.length;
    step.text = (step.text + text).slice(-2 * MOST_CHARS);
    if (step.words === null) timer ??= setTimeout(flush, EVERY_MS).unref();
    else if (isFirst) flushWords();
    else wordsTimer ??= setTimeout(flushWords, WORDS_MS).unref();
  };
  const publish = (steps: Iterable<Pending>): void => {
    if (!server.isWatched()) return; // what is pending is bounded, and shown to the first who watches
    for (const step of steps) for (const message of messagesOf(step, redact)) server.publish(message);
  };

  function flush(): void {
    timer = null;
    publish(pending.values());
  }

  function flushWords(): void {
    if (wordsTimer !== null) clearTimeout(wordsTimer);
    wordsTimer = null;
    publish([...pending.values()].filter(({ words }) => words !== null));
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
      step.text += step.words === null && (step.text === '' || step.text.endsWith('\n')) ? '' : '\n';
      pending.delete(call.call);
      if (!server.isWatched()) return;
      for (const message of messagesOf(step, redact)) server.publish(message);
      server.publish({ run: call.run, step: call.node, kind: 'end' });
    },
    close: () => {
      for (const each of [timer, wordsTimer]) if (each !== null) clearTimeout(each);
      return server.close();
    },
  };
}

/** Takes the complete lines out of what a step has written, and counts. */
function messagesOf(step: Pending, redact: Redact): LiveMessage[] {
  const about = { run: step.run, step: step.node };
  if (step.words !== null) {
    const words = step.words(step.text);
    step.text = '';
    return words === '' ? [] : [{ ...about, kind: 'text', text: words }];
  }
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
