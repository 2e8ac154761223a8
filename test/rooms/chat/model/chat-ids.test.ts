import { expect, it } from 'vitest';
import { chatIds, timeOfChatId } from '../../../../src/rooms/chat/model/chat-ids.ts';
import { MessageId } from '../../../../src/core/schema/chat.ts';

it('ids grow and differ, also within a millisecond and when the clock is set back', () => {
  const moments = [1000, 1000, 1000, 5, 1001, 999, 2000];
  let next = 0;
  const newId = chatIds(() => moments[Math.min(next++, moments.length - 1)] ?? 0);
  const ids = Array.from({ length: 5000 }, newId);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids.slice(0, 10)) expect(MessageId.safeParse(id).success).toBe(true);
});

it('an id has the moment at which it was made', () => {
  const now = Date.UTC(2026, 10, 16);
  expect(timeOfChatId(chatIds(() => now)())).toBe(now);
});
