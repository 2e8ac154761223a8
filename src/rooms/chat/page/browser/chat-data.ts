/** What the queries `chats` and `chat` answer. */
import type { ConversationEntry, MessagePage } from '../../../../core/schema/chat-answers.ts';
import type { Awaited } from '../../../../kit/web/browser/answers/chosen-wait.ts';

export type ChatData = {
  conversations: ConversationEntry[];
  agents: { name: string; description: string }[];
  open: {
    conversation: ConversationEntry;
    page: MessagePage;
    waiting: Awaited[];
    delays: Record<string, string>;
  } | null;
};
