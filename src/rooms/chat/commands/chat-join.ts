import { findChat } from '../terminal/chat-access.ts';
import { type EnteredChat, enterChat, renderEntered } from '../terminal/enter-chat.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';

export async function run(call: Call<object, EnteredChat>): Promise<Answer<EnteredChat>> {
  return enterChat(call, await findChat(call, onlyOperand(call, 'conversation')));
}

export const render = renderEntered;
