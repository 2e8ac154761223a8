import { expect, it } from 'vitest';
import { describeReplies } from '../../../../src/rooms/chat/terminal/chat-bottom.ts';
import { openChatFeed } from '../../../../src/rooms/chat/terminal/chat-feed.ts';
import { noticeId, replyRun } from '../../../../src/core/schema/chat-names.ts';
import { checkEvent, type Event, type NewEvent } from '../../../../src/core/schema/event.ts';

const message = '0000000000a1';
const notice = noticeId(message, 'arya');
const run = replyRun(notice);

it('the line about replies follows their runs, and says for whom a reply waits', () => {
  const feed = openChatFeed({ conversation: 'c', replies: [], isPaused: false });
  const take = (event: NewEvent): string => {
    feed.take({ ...checkEvent(event), seq: 1 } as Event);
    return describeReplies(feed.replies(), feed.state());
  };
  const about = { notice, conversation: 'c', agent: 'arya', message, depth: 0, chain: message };
  const call = { call: 'own', node: 'reply', tool: 'shell', class: 'write_local' as const, input: 'make' };
  const timer = {
    kind: 'timer' as const,
    until: '2026-01-02T00:00:00.000Z',
    day_budget: { usd: 1, tokens: 1 },
  };
  expect(take({ type: 'notice.queued', data: about })).toBe('arya is queued');
  expect(take({ type: 'notice.taken', data: { notice, conversation: 'c', run } })).toBe('arya is thinking');
  expect(take({ type: 'call.started', run, data: call })).toBe('arya is using a tool');
  const awaited = { call: 'own', node: 'reply', behind: 'chat-0000000000b2-bran' };
  expect(take({ type: 'desk.awaited', run, data: awaited })).toBe('arya waits for bran');
  const kept = { call: 'own', node: null, when: 'before' as const, tree: 't' };
  expect(take({ type: 'desk.kept', run, data: kept })).toBe('arya is using a tool');
  const ended = { call: 'own', node: 'reply', status: 'ok' as const };
  expect(take({ type: 'call.ended', run, data: ended })).toBe('arya is thinking');
  expect(take({ type: 'wait.opened', run, data: { wait: 'w', node: 'reply', for: timer } })).toBe(
    'arya waits for the budget of the day',
  );
  const elapsed = { wait: 'w', node: 'reply', answer: { verdict: 'elapsed' as const } };
  expect(take({ type: 'wait.closed', run, data: elapsed })).toBe('arya is thinking');
});
