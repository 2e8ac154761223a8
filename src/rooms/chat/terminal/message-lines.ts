/** A message of a conversation as text: one line for scripts, or with all of its lines for people. */
import { join } from 'node:path';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import type { Home } from '../../../core/schema/home.ts';
import { terminalText } from './terminal-text.ts';

/** `id|timestamp|from|content`; line ends and backslashes in the content are escaped, so that a line is a message. */
export function messageLine({ id, at, from, content }: ChatMessage): string {
  const escaped = content.replaceAll('\\', '\\\\').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return `${id}|${at}|${from}|${terminalText(escaped).replaceAll('\n', '\\n')}`;
}

/** The fields that `--json` has, one object a message. */
export function messageJson({ id, at, from, content, depth, run, pinned }: ChatMessage): object {
  return { id, at, from, content, depth, run, ...(pinned === true ? { pinned } : {}) };
}

/** The same message with the complete text, where the ledger has only the beginning of a long one. */
export async function completeMessage(home: Home, message: ChatMessage): Promise<ChatMessage> {
  if (message.body === undefined) return message;
  const { openArtifacts } = await import('../../../core/ledger/artifact-store.ts');
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), (text) => text);
  try {
    return { ...message, content: (await artifacts.get({ sha256: message.body })).toString('utf8') };
  } catch {
    return message; // it was tidied away, or not copied to this machine: the beginning is still there
  }
}
