import { newChatId } from '../model/chat-ids.ts';
import { MessageId } from '../../../core/schema/chat.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { findChat, parseChatName, requestChat } from '../terminal/chat-access.ts';
import { changedJson, type ChangedChats, renderChanged } from '../terminal/change-chat.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';

export async function run(call: Call<{ at: string | undefined }>): Promise<Answer<ChangedChats>> {
  const [named, given, ...more] = call.operands;
  if (named === undefined || more.length > 0)
    throw new OkaError('usage', 'say which conversation, and the name of the new one');
  const { id, name } = await findChat(call, named);
  const fork = parseChatName(given ?? `${name}-fork`);
  const { at } = call.options;
  if (at !== undefined && !MessageId.safeParse(at).success)
    throw new OkaError('usage', `--at: "${at}" is no id of a message`);
  const asked = await requestChat(call, {
    kind: 'chat_open',
    conversation: newChatId(),
    name: fork,
    fork: { conversation: id, ...(at === undefined ? {} : { at }) },
    by: operatorName(),
  });
  return answer({ ...asked, conversations: [fork], what: `Began ${fork} with the messages of ${name}` });
}

export const render = renderChanged;
export const jsonLines = changedJson;
