import { newChatId } from '../model/chat-ids.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { describePending, parseChatName, readConversations, requestChat } from '../terminal/chat-access.ts';
import { type EnteredChat, enterChat, renderEntered } from '../terminal/enter-chat.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';

export async function run(
  call: Call<{ ttl: number | undefined; memory: 'on' | 'off' | undefined }, EnteredChat>,
): Promise<Answer<EnteredChat>> {
  const { operands, options, notify, openTerminal } = call;
  const [given, ...more] = operands;
  if (more.length > 0) throw new OkaError('usage', 'a conversation has one name', { fix: 'Such as: trip-to-graz' });
  const taken = new Set((await readConversations(call)).map((each) => each.name));
  const name = given === undefined ? freeName(taken) : parseChatName(given);
  if (taken.has(name))
    throw new OkaError('usage', `there is a conversation "${name}" already`, {
      fix: `Enter it: oka chat join ${name}`,
    });
  const id = newChatId();
  const asked = await requestChat(call, {
    kind: 'chat_open',
    conversation: id,
    name,
    ...(options.ttl === undefined ? {} : { ttl: Math.ceil(options.ttl / 1000) }),
    ...(options.memory === undefined ? {} : { memory: options.memory }),
    by: operatorName(),
  });
  if (openTerminal === null) call.emit({ begun: name });
  const pending = describePending(asked).trimEnd();
  if (pending !== '' && openTerminal === null) notify(pending);
  return enterChat(call, { id, name });
}

/** Such as chat-3. */
function freeName(taken: ReadonlySet<string>): string {
  for (let at = 1; ; at += 1) if (!taken.has(`chat-${at}`)) return `chat-${at}`;
}

export const render = renderEntered;
