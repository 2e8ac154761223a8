/** Owns: submitting a request about conversations. Requests are read by name, so names that grow preserve their order. */
import { join } from 'node:path';
import { newChatId } from './model/chat-ids.ts';
import type { ChatIntake } from './model/chat-state.ts';
import { submit } from '../../kit/requests/submit-request.ts';
import type { Home } from '../../core/schema/home.ts';

/** A name for a request; those of one process grow. */
export const chatRequestId = (): string => `chat-${newChatId()}`;

/** Returns the id of the request, which is durable then. */
export function submitChat(home: Home, intake: ChatIntake, id: string = chatRequestId()): string {
  return submit(join(home.oka, 'intake'), intake, id);
}
