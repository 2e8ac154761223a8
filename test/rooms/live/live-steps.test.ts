import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { publishSteps } from '../../../src/rooms/live/live-steps.ts';
import type { LiveMessage } from '../../../src/core/schema/live.ts';

const call = { run: 'r', node: 'a', call: 'r.a.1' };
const bytes = (text: string): Uint8Array => Buffer.from(text);

function watched(isWatched = true) {
  const messages: LiveMessage[] = [];
  const state = { isWatched, greet: () => undefined as void };
  const steps = publishSteps(
    {
      publish: (message) => void messages.push(message),
      isWatched: () => state.isWatched,
      onReader: (listener) => (state.greet = listener),
      close: async () => undefined,
    },
    (text) => text.replaceAll('hunter2', '***'),
  );
  return { steps, messages, state };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what a step writes', () => {
  it('is published in complete lines, several times a second, with secrets removed', () => {
    const { steps, messages } = watched();
    steps.output(call, bytes('password: hun'));
    vi.advanceTimersByTime(200);
    expect(messages).toEqual([]);
    steps.output(call, bytes('ter2\nnext'));
    vi.advanceTimersByTime(200);
    expect(messages).toEqual([{ run: 'r', step: 'a', kind: 'output', text: 'password: ***\n' }]);
    steps.end(call);
    expect(messages.slice(1)).toEqual([
      { run: 'r', step: 'a', kind: 'output', text: 'next\n' },
      { run: 'r', step: 'a', kind: 'end' },
    ]);
  });

  it('is the end of it when it is a flood, and a character that arrives in parts stays one', () => {
    const { steps, messages } = watched();
    for (let round = 0; round < 1000; round += 1) steps.output(call, bytes(`${'x'.repeat(500)}\n`));
    const whole = bytes('grün\n');
    steps.output(call, whole.subarray(0, 3));
    steps.output(call, whole.subarray(3));
    vi.advanceTimersByTime(200);
    expect(messages).toHaveLength(1);
    const [first] = messages;
    const text = first?.kind === 'output' ? first.text : '';
    expect(text.length).toBeLessThanOrEqual(4000);
    expect(text.endsWith('grün\n')).toBe(true);
  });

  it('counts the tokens of an answer; its thoughts and calls are not shown', () => {
    const { steps, messages } = watched();
    steps.answer(call, { hidden: 'a secret thought' });
    steps.answer(call, { text: 'Hello, this is\n' });
    vi.advanceTimersByTime(200);
    expect(messages).toEqual([
      { run: 'r', step: 'a', kind: 'text', text: 'Hello, this is\n' },
      { run: 'r', step: 'a', kind: 'tokens', count: 8 },
    ]);
  });

  it('is published to the first who watches, and costs nothing before', () => {
    const { steps, messages, state } = watched(false);
    steps.output(call, bytes('one\n'));
    vi.advanceTimersByTime(1000);
    expect(messages).toEqual([]);
    state.isWatched = true;
    state.greet();
    expect(messages).toEqual([{ run: 'r', step: 'a', kind: 'output', text: 'one\n' }]);
  });

  it('of a reply in a conversation is published word by word, the first one at once, and a secret never in part', () => {
    const { steps, messages } = watched();
    const reply = { run: 'chat-01jd3k5m7xyz-oka', node: 'reply', call: 'c1' };
    const words = (): string => messages.map((message) => (message.kind === 'text' ? message.text : '')).join('');
    steps.answer(reply, { text: 'Hello' });
    expect(words()).toBe('Hello');
    for (const text of [', the', ' password is hun', 'ter2', ' and', '\n\nthat', ' is', ' all.']) {
      steps.answer(reply, { text });
      vi.advanceTimersByTime(20);
      expect('Hello, the password is *** and\n\nthat is all.\n'.startsWith(words())).toBe(true);
    }
    steps.end(reply);
    expect(words()).toBe('Hello, the password is *** and\n\nthat is all.\n');
    expect(messages.at(-1)).toMatchObject({ kind: 'end' });
  });
});
