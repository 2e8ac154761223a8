import { describe, expect, it } from 'vitest';
import { fruitlessClaims } from '../../../../src/rooms/fleet/servers/fruitless-claims.ts';
import type { StoredEvent, StoredMessage } from '../../../../src/rooms/fleet/servers/run-owner.ts';

const stream = { name: 'OKA_RUNS', created: '2026-01-01T00:00:00.000Z' };

/** Processes by name that claim the run one after another, each with the events that it published. */
function messagesOf(...attempts: [process: string, ...events: Partial<StoredEvent>[]][]): StoredMessage[] {
  let sequence = 0;
  return attempts.flatMap(([process, ...events], index): StoredMessage[] => {
    const owner = { worker: 'w', process, epoch: index + 1 };
    const claim = { sequence: ++sequence, message: { kind: 'claim', ...owner, stream, version: '1' } } as const;
    if (events.length === 0) return [claim];
    const stored = events.map((event) => ({ seq: 1, run: 'r', data: {}, ...event })) as StoredEvent[];
    return [
      claim,
      { sequence: ++sequence, message: { kind: 'events', ...owner, number: 1, events: stored, desk: null } },
    ];
  });
}

const started = { type: 'call.started', data: { call: 'r.a.0.1', tool: 'shell' } };
const ended = { type: 'call.ended', data: { call: 'r.a.0.1', status: 'ok' } };
const lost = { type: 'call.ended', data: { call: 'r.a.0.1', status: 'cancelled' } };
const asked = { type: 'wait.opened', data: { wait: 'r.w0', for: { kind: 'question' } } };
const inside = { type: 'wait.opened', data: { wait: 'r.w0', for: { kind: 'child' } } };
const epochs = (messages: StoredMessage[]): number[] => fruitlessClaims(messages).map(({ epoch }) => epoch);

describe('claims of a run in which nothing was done', () => {
  it('are those since the last one in which a call ended by itself, with what was seen last', () => {
    const messages = messagesOf(['a'], ['b', started, ended], ['c', started], ['d', lost, started]);
    expect(epochs(messages)).toEqual([3, 4]);
    expect(fruitlessClaims(messages).at(-1)?.last).toEqual(['call.ended r.a.0.1', 'call.started r.a.0.1 shell']);
  });

  it('are also those before anything was written, and those of runs that wait only for a run inside', () => {
    expect(epochs(messagesOf(['a'], ['b', started, inside], ['c']))).toEqual([1, 2, 3]);
  });

  it('are not those that died while somebody was asked, or were stopped in good order', () => {
    expect(epochs(messagesOf(['a', asked], ['b'], ['c'], ['d']))).toEqual([]);
    expect(epochs(messagesOf(['a', { ...lost, data: { ...lost.data, stopped: true } }]))).toEqual([]);
  });

  it('count once for a process that claims again and again, since it lives', () => {
    expect(epochs(messagesOf(['a'], ['a'], ['a'], ['b']))).toEqual([3, 4]);
  });
});
