import { matchChats, requestChat } from '../terminal/chat-access.ts';
import {
  changedJson,
  type ChangedChats,
  isRemovalConfirmed,
  notChanged,
  renderChanged,
} from '../terminal/change-chat.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';

export async function run(call: Call<{ yes: boolean }>): Promise<Answer<ChangedChats>> {
  const chats = await matchChats(call, call.operands, false);
  const names = chats.map(({ name }) => name).join(', ');
  if (!(await isRemovalConfirmed(call, `Delete ${names}`))) return notChanged(chats);
  const asked = [];
  for (const { id } of chats)
    asked.push(await requestChat(call, { kind: 'chat_delete', conversation: id, by: operatorName() }));
  return answer({
    submitted: asked.map(({ submitted }) => submitted).join(' '),
    isDone: asked.every(({ isDone }) => isDone),
    hasWorker: asked.every(({ hasWorker }) => hasWorker),
    conversations: chats.map(({ name }) => name),
    what: `Deleted ${names}`,
  });
}

export const render = renderChanged;
export const jsonLines = changedJson;
