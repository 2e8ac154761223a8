/** Conversations: the list, and one of them with its messages, who answers, and the box to write in. */
import { definePage } from '../../../kit/web/page.ts';
import { chatQuery, chatsQuery } from './chat-page-query.ts';

const shared = {
  title: 'Conversations',
  intakes: [
    'chat_open',
    'chat_post',
    'chat_pause',
    'chat_resume',
    'chat_change',
    'chat_delete',
    'chat_stop',
    'answer',
    'resolve',
  ],
  view: new URL('./browser/chat-page-view.ts', import.meta.url),
  styles: [new URL('./browser/chat.css', import.meta.url)],
} as const;

export const chatPages = [
  definePage({
    ...shared,
    name: 'chats',
    path: '/chat',
    nav: {
      order: 25,
      key: 'c',
      icon: 'M5 5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-7l-4 4v-4H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z',
      isOnPhone: true,
    },
    query: chatsQuery,
  }),
  definePage({ ...shared, name: 'chat', path: '/chat/:conversation', query: chatQuery }),
];
