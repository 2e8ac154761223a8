/** What conversations contribute without a worker: their events, which the worker's room daemon/chat appends, and their view. */
import { defineRoom } from '../schema/room.ts';

export const chat = defineRoom({
  name: 'chat',
  events: [
    'chat.opened',
    'chat.changed',
    'chat.joined',
    'message.posted',
    'notice.queued',
    'notice.taken',
    'notice.dropped',
    'chat.paused',
    'chat.resumed',
    'chat.expired',
    'chat.deleted',
  ],
  views: async () => [(await import('./chat-view.ts')).chatView],
});
