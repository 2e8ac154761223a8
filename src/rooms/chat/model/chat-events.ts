/** The events that conversations consist of. Free of zod, so that readers start fast. */
import type { chatEventData } from '../../../core/schema/chat.ts';
import type { Event } from '../../../core/schema/event.ts';

type ChatEventType = keyof typeof chatEventData;
export type ChatEvent = Extract<Event, { type: ChatEventType }>;

/** Each type once; a type that is missing here is an error of types. */
const TYPES = {
  'chat.opened': true,
  'chat.changed': true,
  'chat.joined': true,
  'message.posted': true,
  'notice.queued': true,
  'notice.taken': true,
  'notice.dropped': true,
  'chat.paused': true,
  'chat.resumed': true,
  'chat.expired': true,
  'chat.deleted': true,
} as const satisfies Record<ChatEventType, true>;

export const chatEventTypes = Object.keys(TYPES) as ChatEventType[];

export const isChatEvent = (event: Event): event is ChatEvent => Object.hasOwn(TYPES, event.type);
