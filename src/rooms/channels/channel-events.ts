/** The events that record what goes through channels. */
import type { NewEvent } from '../../core/schema/event.ts';

type DataOf<T extends NewEvent['type']> = Extract<NewEvent, { type: T }>['data'];

export const deliveryStarted = (data: DataOf<'delivery.started'>): NewEvent => ({ type: 'delivery.started', data });
export const deliveryEnded = (data: DataOf<'delivery.ended'>): NewEvent => ({ type: 'delivery.ended', data });
export const channelReceived = (data: DataOf<'channel.received'>): NewEvent => ({ type: 'channel.received', data });
export const channelSubscribed = (data: DataOf<'channel.subscribed'>): NewEvent => ({
  type: 'channel.subscribed',
  data,
});
export const channelPaired = (data: DataOf<'channel.paired'>): NewEvent => ({ type: 'channel.paired', data });
