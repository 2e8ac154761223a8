/**
 * Owns: turning a conversation into a task. What the person wrote is the task; the conversation is a file next to it,
 * since what agents have said is material and never an instruction.
 */
import { join } from 'node:path';
import { type Added, addTask } from '../../../kit/inbox/add-task.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import type { Home } from '../../../core/schema/home.ts';

const DEFAULT = 'Do what was agreed in the conversation.';

export function addChatTask(home: Home, name: string, messages: readonly ChatMessage[], text: string): Added {
  const said = messages.map(({ at, from, content }) => `## ${from}, ${at}\n\n${content}\n`).join('\n');
  const task = `${text === '' ? DEFAULT : text}\n\nThe conversation is in conversation.md.\n`;
  return addTask(join(home.workspace, 'inbox'), {
    name: `chat-${name}`,
    bytes: Buffer.from(task),
    files: [{ path: 'conversation.md', bytes: Buffer.from(`# ${name}\n\n${said}`), mode: 0o644 }],
  });
}
