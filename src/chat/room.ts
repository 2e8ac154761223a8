/** What conversations contribute without a worker: their events, which the worker's room daemon/chat appends, and their view. */
import { defineRoom } from '../schema/room.ts';
import { chatEventTypes } from './chat-events.ts';

export const chat = defineRoom({
  name: 'chat',
  events: chatEventTypes,
  views: async () => [(await import('./chat-view.ts')).chatView],
});
