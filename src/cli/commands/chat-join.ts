import { findChat } from '../chat/chat-access.ts';
import { type EnteredChat, enterChat, renderEntered } from '../chat/enter-chat.ts';
import type { Answer, Call } from '../command-module.ts';
import { onlyOperand } from '../operands.ts';

export async function run(call: Call<object, EnteredChat>): Promise<Answer<EnteredChat>> {
  return enterChat(call, await findChat(call, onlyOperand(call, 'conversation')));
}

export const render = renderEntered;
