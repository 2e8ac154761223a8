import { describe, expect, it } from 'vitest';
import { openCheckCalls } from '../../../src/rooms/task/check-approvals.ts';
import type { TaskPorts } from '../../../src/rooms/task/task-ports.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Outcome, ToolCall } from '../../../src/core/schema/tool.ts';

const LOOK = { line: 'make check' };

/** The second attempt of a judgement whose first one had to ask about a look; it now ends like this. */
async function secondAttempt(outcome: Outcome): Promise<{ seen: Outcome; hasUsedLeave: boolean }> {
  const call = 'r.judge.0.1.1';
  const events = [
    { type: 'call.started', data: { call, node: null, tool: 'shell', input: LOOK } },
    { type: 'call.ended', data: { call, node: null, status: 'waiting', for: { kind: 'approval' } } },
  ] as Event[];
  const ports = { eventsOf: async () => events } as unknown as TaskPorts;
  const looks = await openCheckCalls(ports, {
    run: 'r',
    call: 'r.judge.0.2',
    act: async () => outcome,
  } as unknown as ToolCall);
  const seen = await looks.call('shell', LOOK, 'model');
  return { seen, hasUsedLeave: looks.hasUsedApproval() };
}

describe('a look that a person had to allow', () => {
  it.each(['ok', 'failed'] as const)('that was made and is %s has used the leave', async (status) => {
    const outcome = (status === 'ok' ? { status, output: null } : { status, error: 'exit 1' }) satisfies Outcome;
    expect(await secondAttempt(outcome)).toEqual({ seen: outcome, hasUsedLeave: true });
  });

  it('that is refused after all has used none: else the next question would be put off for ever', async () => {
    const outcome: Outcome = { status: 'denied', error: 'shell: the policy says so by now' };
    expect(await secondAttempt(outcome)).toEqual({ seen: outcome, hasUsedLeave: false });
  });
});
