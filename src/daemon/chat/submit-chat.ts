/** Owns: submitting a request about conversations. Requests are read by name, so names that grow preserve their order. */
import { join } from 'node:path';
import { newChatId } from '../../chat/chat-ids.ts';
import type { ChatIntake } from '../../chat/chat-state.ts';
import { submit } from '../../intake/submit-request.ts';
import type { Home } from '../../schema/home.ts';

/** A name for a request; those of one process grow. */
export const chatRequestId = (): string => `chat-${newChatId()}`;

/** Returns the id of the request, which is durable then. */
export function submitChat(home: Home, intake: ChatIntake, id: string = chatRequestId()): string {
  return submit(join(home.oka, 'intake'), intake, id);
}
