import { expect, it } from 'vitest';
import { chatIds } from '../../../src/rooms/chat/model/chat-ids.ts';
import { chatProjection } from '../../../src/rooms/chat/model/chat-state.ts';
import { replyPlanner, type ReplyPlannerPorts } from '../../../src/rooms/chat/reply-planner.ts';
import { replyRun } from '../../../src/core/schema/chat-names.ts';
import { checkEvent, type Event, type NewEvent } from '../../../src/core/schema/event.ts';
import { parseAgent } from '../../../src/core/schema/parse-agent.ts';
import type { PlannerInput } from '../../../src/core/schema/ports.ts';
import { openFoldedRows } from '../../support/folded-rows.ts';

const ARYA = parseAgent({ name: 'arya', text: '---\ndescription: Forges.\n---\nA smith.\n', file: 'a.md', sha256: '' });

it.each([0, 100, 700])('the model is shown the message that it answers, with %i messages after it', async (after) => {
  let now = Date.UTC(2026, 0, 1);
  const newId = chatIds(() => (now += 1000));
  const [asked, notice] = [newId(), 'n-arya'];
  const about = { conversation: 'c', depth: 0, chain: asked };
  const posted = (message: string, content: string): NewEvent => ({
    type: 'message.posted',
    data: { ...about, message, from: 'user', kind: 'person', content },
  });
  const events: NewEvent[] = [
    { type: 'chat.opened', data: { conversation: 'c', name: 'forge', ttl: null } },
    posted(asked, '@arya which colour has the sky?'),
    { type: 'notice.queued', data: { ...about, notice, message: asked, agent: 'arya' } },
    ...Array.from({ length: after }, (_, at) =>
      posted(newId(), `a remark, number ${at}, ${'which is long '.repeat(30)}`),
    ),
  ];
  using folded = await openFoldedRows();
  folded.add(events);
  let state = chatProjection.initial();
  for (const event of events) state = chatProjection.apply(state, { ...checkEvent(event), seq: 1 } as Event);
  const planner = replyPlanner({
    state: () => state,
    rows: { read: async <T>(read: (rows: typeof folded.rows) => T) => read(folded.rows) },
    agents: { get: () => ARYA, list: () => [ARYA] },
    memory: { pack: async () => '' },
    models: { for: () => null },
    offers: { forTurn: () => ({ tools: [], skills: [] }) },
    askAgainMs: 1,
    clock: () => now,
  } as unknown as ReplyPlannerPorts);
  const seen: string[] = [];
  const input = { run: replyRun(notice), node: 'reply', tools: [], evidence: [], problem: null, notes: [] };
  const decided = await planner.decide(input as unknown as PlannerInput, async (_tool, given) => {
    seen.push(JSON.stringify(given));
    return { status: 'failed', error: 'no model here' };
  });
  expect(decided).toEqual({ failed: 'no model here' });
  expect(seen[0]).toContain(`Answer message ${asked} of`);
  expect(seen[0]?.split('which colour has the sky?')).toHaveLength(2); // once
});
