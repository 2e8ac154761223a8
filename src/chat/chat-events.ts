/** The events that conversations consist of. */
import { chatEventData } from '../schema/chat.ts';
import type { Event } from '../schema/event.ts';

export type ChatEventType = keyof typeof chatEventData;
export type ChatEvent = Extract<Event, { type: ChatEventType }>;

export const chatEventTypes = Object.keys(chatEventData) as ChatEventType[];

export const isChatEvent = (event: Event): event is ChatEvent => Object.hasOwn(chatEventData, event.type);
