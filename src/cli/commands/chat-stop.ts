import { findChat, requestChat } from '../chat/chat-access.ts';
import { changedJson, type ChangedChats, renderChanged } from '../chat/change-chat.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { onlyOperand } from '../operands.ts';
import { operatorName } from '../operator-name.ts';

export async function run(call: Call): Promise<Answer<ChangedChats>> {
  const { id, name } = await findChat(call, onlyOperand(call, 'conversation'));
  const asked = await requestChat(call, { kind: 'chat_stop', conversation: id, by: operatorName() });
  return answer({ ...asked, conversations: [name], what: `Stopped the replies in ${name}` });
}

export const render = renderChanged;
export const jsonLines = changedJson;
