import { describe, expect, it } from 'vitest';
import { type ChatIntake, chatProjection } from '../../../src/rooms/chat/model/chat-state.ts';
import { chatWriter } from '../../../src/rooms/chat/chat-writer.ts';
import { handleChat } from '../../../src/rooms/chat/handle-chat.ts';
import { type ReplyRunPorts, replyRuns } from '../../../src/rooms/chat/reply-runs.ts';
import type { RunState } from '../../../src/core/engine/run-state.ts';
import { ChatConfig } from '../../../src/core/schema/chat-config.ts';
import { replyRun } from '../../../src/core/schema/chat-names.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import type { Execution, RunSignal } from '../../../src/core/schema/ports.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import { parseAgent } from '../../../src/core/schema/parse-agent.ts';

const MESSAGE = '01jd3k5m7xyz';
const NOTICE = `${MESSAGE}-arya`;
const RUN = replyRun(NOTICE);
const ASKED = { conversation: 'c', depth: 0, chain: MESSAGE };
const QUEUED: NewEvent[] = [
  { type: 'chat.opened', data: { conversation: 'c', name: 'forge', ttl: null } },
  { type: 'message.posted', data: { ...ASKED, message: MESSAGE, from: 'user', kind: 'person', content: '@arya' } },
  { type: 'notice.queued', data: { ...ASKED, notice: NOTICE, message: MESSAGE, agent: 'arya' } },
];
const TAKEN: NewEvent = { type: 'notice.taken', data: { notice: NOTICE, conversation: 'c', run: RUN } };

const ARYA = parseAgent({
  name: 'arya',
  text: '---\ndescription: Forges.\n---\nA smith.\n',
  file: 'arya.md',
  sha256: '',
});

type Told = NewEvent | { type: 'run begins' | 'run resumes' | 'run pauses' | 'run ends' };

/** Every step takes a few turns of the event loop, so that requests arrive between any two of them. */
function processAfter(earlier: readonly NewEvent[]): {
  told: Told[];
  advance: () => Promise<void>;
  handle: (intake: ChatIntake) => Promise<unknown>;
  tick: (times: number) => Promise<void>;
} {
  const told: Told[] = [];
  let state = earlier.reduce((folded, event) => chatProjection.apply(folded, event as Event), chatProjection.initial());
  const tick = async (times: number): Promise<void> => {
    for (let at = 0; at < times; at += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const append = async (added: NewEvent | readonly NewEvent[]): Promise<never[]> => {
    await tick(2);
    for (const event of [added].flat()) {
      told.push(event);
      state = chatProjection.apply(state, event as Event);
    }
    return [];
  };
  const runs = new Map<string, RunState>();
  const ports = {
    writer: chatWriter({ append } as never, { stateOf: () => state } as never),
    agents: { list: () => [ARYA], get: () => ARYA },
    rows: { read: async () => (await tick(3), []) },
    backend: {
      start: async ({ kind }: Execution) => {
        await tick(2);
        told.push({ type: kind === 'resume' ? 'run resumes' : 'run begins' });
        runs.set(RUN, { id: RUN, status: 'running' } as RunState);
        return RUN;
      },
      signal: async (run: string, { kind }: RunSignal) => {
        if (!runs.has(run)) throw new OkaError('no-such-run', 'there is no such run');
        told.push({ type: kind === 'pause' ? 'run pauses' : 'run ends' });
        const status = kind === 'pause' ? 'paused' : 'cancelled';
        const state = { id: run, status, reason: '', spent: { usd: 0, tokens: 0, tool_calls: 0 } } as RunState;
        runs.set(run, state);
        await replies.settle(state);
      },
    },
    runs: { stateOf: async (run: string) => (await tick(1), runs.get(run) ?? null) },
    tools: { list: () => [] },
    artifacts: { put: () => Promise.reject(new Error('no text is that long')) },
    settings: ChatConfig.parse({}),
    isHalted: () => false,
    isTyping: () => false,
    clock: () => 0,
  } as unknown as ReplyRunPorts;
  const replies = replyRuns(ports);
  return { told, advance: replies.advance, handle: (intake) => handleChat({ ...ports, replies }, intake), tick };
}

const MOMENTS = Array.from({ length: 16 }, (_, at) => at);
const STARTS = { queued: QUEUED, 'taken by a process that ended': [...QUEUED, TAKEN] };

describe.each(Object.entries(STARTS))('a reply that was %s', (_, earlier) => {
  it('does not begin after its conversation was deleted, whenever that happens', async () => {
    for (const moment of MOMENTS) {
      const { told, advance, handle, tick } = processAfter(earlier);
      const advancing = advance();
      await tick(moment);
      await handle({ kind: 'chat_delete', conversation: 'forge' });
      await Promise.all([advancing, advance(), tick(20)]);
      const types = told.map(({ type }) => type);
      const after = types.slice(types.indexOf('chat.deleted') + 1);
      expect(after, `deleted at ${moment}`).not.toContain('run begins');
      expect(types.includes('run ends'), `deleted at ${moment}`).toBe(types.includes('run begins'));
    }
  });

  it('is stopped by the person, whenever that happens, and says so once if it was taken', async () => {
    for (const moment of MOMENTS) {
      const { told, advance, handle, tick } = processAfter(earlier);
      const advancing = advance();
      await tick(moment);
      await handle({ kind: 'chat_stop', conversation: 'forge' });
      await Promise.all([advancing, advance(), tick(20)]);
      const ends = told.filter(({ type }) => type === 'message.posted' || type === 'notice.dropped');
      expect(ends, `stopped at ${moment}`).toHaveLength(1);
      if (ends[0]?.type === 'message.posted') expect(ends[0].data.content).toBe('I was stopped before I had answered.');
      const types = told.map(({ type }) => type);
      expect(types.includes('run ends'), `stopped at ${moment}`).toBe(types.includes('run begins'));
    }
  });

  it('does not begin while the conversation is paused, and begins when it is resumed', async () => {
    for (const moment of MOMENTS) {
      const { told, advance, handle, tick } = processAfter(earlier);
      const advancing = advance();
      await tick(moment);
      await handle({ kind: 'chat_pause', conversations: ['forge'] });
      await Promise.all([advancing, advance(), tick(20)]);
      const paused = told.map(({ type }) => type);
      expect(paused.slice(paused.indexOf('chat.paused')), `paused at ${moment}`).not.toContain('run begins');
      await handle({ kind: 'chat_resume', conversations: ['forge'] });
      await advance();
      expect(
        told.filter(({ type }) => type === 'run begins'),
        `paused at ${moment}`,
      ).toHaveLength(1);
    }
  });
});
