/** Attaches a session to a terminal, from the first message to the moment at which the person leaves. */
import type { Call } from '../../../kit/cli/command-module.ts';
import type { TerminalDevice } from '../../../kit/cli/io.ts';
import type { NamedChat } from './chat-access.ts';
import { ChatSession } from './chat-session.ts';
import { followChat } from './follow-chat.ts';
import { openKeyReader } from './terminal-keys.ts';

const SHOWN_MESSAGES = 20;
/** How long an escape waits for what belongs to it. */
const ESCAPE_MS = 50;

export async function talkAtTerminal(
  call: Call,
  chat: NamedChat,
  device: TerminalDevice,
  agents: readonly string[],
): Promise<void> {
  const followed = await followChat(call, chat, { limit: SHOWN_MESSAGES });
  const left = new AbortController();
  const leave = (): void => left.abort();
  const session = new ChatSession({ call, chat, device, agents, followed, leave });
  const keys = openKeyReader();
  let escape: NodeJS.Timeout | undefined;
  const stopReading = device.readKeys((chunk) => {
    clearTimeout(escape);
    for (const key of keys.read(chunk)) session.press(key);
    if (keys.isPending()) escape = setTimeout(keys.drop, ESCAPE_MS);
  }, leave);
  const stopResizing = device.onResize(() => session.resized());
  try {
    await session.start();
    await followed.follow(
      AbortSignal.any([call.signal, left.signal]),
      (item) => session.take(item),
      (words) => session.addWords(words),
    );
  } finally {
    stopResizing();
    stopReading();
    session.close();
  }
}
