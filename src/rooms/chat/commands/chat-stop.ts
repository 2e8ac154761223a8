import { findChat, requestChat } from '../terminal/chat-access.ts';
import { changedJson, type ChangedChats, renderChanged } from '../terminal/change-chat.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';

export async function run(call: Call): Promise<Answer<ChangedChats>> {
  const { id, name } = await findChat(call, onlyOperand(call, 'conversation'));
  const asked = await requestChat(call, { kind: 'chat_stop', conversation: id, by: operatorName() });
  return answer({ ...asked, conversations: [name], what: `Stopped the replies in ${name}` });
}

export const render = renderChanged;
export const jsonLines = changedJson;
