/** Entering a conversation: at a terminal it is drawn, through a pipe lines go in and out. */
import { findAgents } from '../../../kit/agents/home-agents.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { type Answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { NamedChat } from './chat-access.ts';
import { messageLine } from './message-lines.ts';
import { talkThroughPipe } from './pipe-chat.ts';

export type EnteredChat = { begun: string } | { message: ChatMessage };

export async function enterChat<Values>(
  call: Call<Values, EnteredChat>,
  chat: NamedChat,
): Promise<Answer<EnteredChat>> {
  const { openTerminal, emit, signal } = call;
  if (openTerminal === null) return { code: await talkThroughPipe(call, chat, (message) => emit({ message })) };
  const { talkAtTerminal } = await import('./talk-at-terminal.ts');
  const agents = findAgents(call.home).agents.map(({ name }) => name);
  await talkAtTerminal(call as unknown as Call, chat, await openTerminal(), agents);
  return { code: signal.aborted ? exits.interrupted : exits.ok };
}

export const renderEntered = (data: EnteredChat): string =>
  `${'begun' in data ? data.begun : messageLine(data.message)}\n`;
