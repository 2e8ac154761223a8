/** What a provider's cache can serve, against a server that accepts requests only as the messages format has them. */
import { describe, expect, it } from 'vitest';
import { executorRequest } from '../../../src/kit/task/executor.ts';
import { growingText } from '../../../src/kit/text/prompt-text.ts';
import { openCache } from '../../support/cache-server.ts';
import { openWireServer } from '../../support/wire-server.ts';
import { call } from '../../support/wire-server-reply.ts';
import type { Evidence, PlannerInput } from '../../../src/core/schema/ports.ts';
import { ask, modelAt, readTool, turn } from './support.ts';

const work = (turns: number): PlannerInput => ({
  run: 'r1',
  node: 'n1',
  turn: turns,
  goal: 'Add up the amounts.',
  state: 'explore',
  next: [],
  tools: [],
  budgets: { tokens: 1000 - turns },
  problem: null,
  evidence: Array.from(
    { length: turns },
    (_, index): Evidence => ({
      turn: index,
      decision: {
        kind: 'CallTool',
        tool: 'files.read',
        input: { path: `${index}.txt` },
        rationale: '',
        ...(index === 1 ? { note: 'the second is the odd one' } : {}),
      },
      outcome: 'ok',
      output: { content: `content ${index} `.repeat(20) },
      error: null,
    }),
  ),
});

describe('a prompt that only grows', () => {
  it('X4 each turn begins with all of the turn before, but for where it stood', () => {
    const requests = [0, 1, 2, 3, 4].map((turns) => executorRequest(work(turns), { now: `12:0${turns}` }));
    for (const [index, next] of requests.slice(1).entries()) {
      const [before] = requests[index]?.messages ?? [];
      const stays = before?.text.slice(0, before.stable?.at(-1));
      expect(stays?.length).toBeGreaterThan(10);
      expect(next.messages[0]?.text.startsWith(stays ?? '?')).toBe(true);
      expect(next.messages[0]?.stable?.slice(0, before?.stable?.length)).toEqual(before?.stable);
      expect(next.tools).toEqual(requests[0]?.tools);
      expect(next.system).toBe(requests[0]?.system);
    }
  });
});

describe('anthropic', () => {
  it('P4 is told what to cache: at most four marks, each behind something that stays', async () => {
    const cache = openCache();
    await using server = await openWireServer((request) => {
      const served = cache.take(request.body);
      return call('files_read', { path: 'a' }, { usage: { in: 1000, out: 5, cached: Math.round(1000 * served) } });
    });
    const model = modelAt(server.url, 'anthropic:some-model');
    const parts = ['The task. '.repeat(40), '\n\nTurn one. '.repeat(30), '\n\nTurn two. '.repeat(30), '\n\nTurn 3'];
    const cached: (number | undefined)[] = [];
    for (const count of [1, 2, 3]) {
      const message = { role: 'user' as const, ...growingText([...parts.slice(0, count), `Now ${count}.`]) };
      const request = { ...ask('x', { tools: [readTool] }), messages: [message] };
      cached.push((await turn(model, 'whole', request)).usage.tokens_cached);
    }
    expect(cache.problems).toEqual([]);
    expect(cached[0]).toBeUndefined();
    expect(cached[1]).toBeGreaterThan(400);
    expect(cached[2]).toBeGreaterThan(cached[1] ?? 0);
  });

  it('a text without parts, and a provider that caches by itself, get plain text', async () => {
    await using server = await openWireServer(() => call('files_read', { path: 'a' }));
    await turn(modelAt(server.url, 'openai:some-model'), 'whole', {
      ...ask('x', { tools: [readTool] }),
      messages: [{ role: 'user', ...growingText(['a', 'b']) }],
    });
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('cache');
    expect(server.requests[0]?.text).toContain('ab');
  });
});
