import { describe, expect, it } from 'vitest';
import { chatView } from '../../../src/rooms/chat/model/chat-view.ts';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import type { Rows } from '../../../src/core/schema/rows.ts';
import { newMessageId } from '../../../src/rooms/chat/page/browser/chat-message-id.ts';
import { MessageId } from '../../../src/core/schema/chat.ts';
import { type ChatPageAnswer, chatQuery, chatsQuery } from '../../../src/rooms/chat/page/chat-page-query.ts';
import { askQuery } from '../../support/ask-query.ts';

const opened = (id: string): NewEvent => ({
  type: 'chat.opened',
  data: { conversation: id, name: `talk-${id}`, ttl: null },
});

const posted = (conversation: string, message: string, content: string): NewEvent => ({
  type: 'message.posted',
  data: { conversation, message, from: 'user', kind: 'person', content, depth: 0, chain: message },
});

function fold(...events: NewEvent[]): Rows {
  const rows = memoryRows();
  events.forEach((event, index) => {
    const line = {
      seq: index + 1,
      run: null,
      pen: 'run',
      at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
    };
    chatView.take({ event: { ...line, ...event } as Event } as never, rows);
  });
  return rows;
}

const ids = Array.from({ length: 5 }, () => newMessageId());

describe('the page of conversations', () => {
  it('lists conversations and who can be mentioned, and opens none by itself', async () => {
    const rows = fold(opened('a'), opened('b'), posted('a', ids[0] ?? '', 'hello'));
    const { conversations, agents, open } = await askQuery<ChatPageAnswer>(chatsQuery, { rows });
    expect(conversations.map(({ name, messages }) => [name, messages])).toEqual([
      ['talk-a', 1],
      ['talk-b', 0],
    ]);
    expect(agents.map(({ name }) => name)).toEqual(['oka']);
    expect(open).toBeNull();
  });

  it('shows the last messages of one, by its name or its id, and whether there are earlier ones', async () => {
    const rows = fold(opened('a'), ...ids.map((id, index) => posted('a', id, `message ${index}`)));
    for (const conversation of ['a', 'talk-a']) {
      const { open } = await askQuery<ChatPageAnswer>(chatQuery, { rows }, { conversation, limit: '2' });
      expect(open?.page.messages.map(({ content }) => content)).toEqual(['message 3', 'message 4']);
      expect(open?.page.earlier).toBe(true);
    }
    const gone = await askQuery<ChatPageAnswer>(chatQuery, { rows }, { conversation: 'c' });
    expect([gone.open, gone.conversations.length]).toEqual([null, 1]);
  });

  it('names messages as every other face does, in growing order', () => {
    for (const id of ids) expect(MessageId.safeParse(id).success).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
  });
});
