import { findChat } from '../terminal/chat-access.ts';
import {
  changeChat,
  changedJson,
  type ChangedChats,
  isRemovalConfirmed,
  notChanged,
  renderChanged,
} from '../terminal/change-chat.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';

export async function run(call: Call<{ yes: boolean }>): Promise<Answer<ChangedChats>> {
  const chat = await findChat(call, onlyOperand(call, 'conversation'));
  if (!(await isRemovalConfirmed(call, `Remove all messages of ${chat.name}`))) return notChanged([chat]);
  return changeChat(call, chat.id, { clear: true }, (name) => `Removed all messages of ${name}`);
}

export const render = renderChanged;
export const jsonLines = changedJson;
