import { OkaError } from '../../../core/schema/errors.ts';
import { parseChatName } from '../terminal/chat-access.ts';
import { changeChat, changedJson, type ChangedChats, renderChanged } from '../terminal/change-chat.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';

export async function run(call: Call): Promise<Answer<ChangedChats>> {
  const [named, given, ...more] = call.operands;
  if (named === undefined || given === undefined || more.length > 0)
    throw new OkaError('usage', 'say which conversation, and its new name');
  const next = parseChatName(given);
  return changeChat(call, named, { name: next }, (name) => `${name} is now called ${next}`);
}

export const render = renderChanged;
export const jsonLines = changedJson;
