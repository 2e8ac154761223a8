import { listMessages } from '../../chat/chat-queries.ts';
import { type ChatRequest, describePending, readConversations, requestChat } from '../chat/chat-access.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { operatorName } from '../operator-name.ts';
import { count } from '../plain-text.ts';
import { readViews } from '../read-views.ts';

type Removed = { conversation: string; messages: number; deleted: boolean };
type Data = { dry_run: boolean; removed: Removed[] } & Partial<ChatRequest>;

export async function run(call: Call<{ dryRun: boolean }>): Promise<Answer<Data>> {
  const { dryRun } = call.options;
  const now = Date.now();
  const removed = await findRemovable(call, now);
  if (dryRun || removed.length === 0) return answer({ dry_run: dryRun, removed });
  const before = new Date(now).toISOString();
  const asked = await requestChat(call, { kind: 'chat_cleanup', before, by: operatorName() });
  return answer({ dry_run: false, removed, ...asked });
}

/** Messages that have expired, and conversations that have none then. */
async function findRemovable(call: Call<{ dryRun: boolean }>, now: number): Promise<Removed[]> {
  const conversations = await readConversations(call);
  return readViews(call, (rows) =>
    conversations.flatMap(({ id, name, ttl, messages, queue }) => {
      const end = ttl === null ? null : new Date(now - ttl * 1000).toISOString();
      const expired = end === null ? 0 : listMessages(rows, id).messages.filter(({ at }) => at < end).length;
      const deleted = messages === expired && queue.length === 0;
      return expired === 0 && !deleted ? [] : [{ conversation: name, messages: expired, deleted }];
    }),
  );
}

export function render({ dry_run, removed, isDone = true, hasWorker = true }: Data): string {
  if (removed.length === 0) return 'Nothing has expired, and no conversation is empty.\n';
  const lines = removed.map(
    ({ conversation, messages, deleted }) =>
      `${conversation}: ${[...(messages === 0 ? [] : [count(messages, 'expired message')]), ...(deleted ? ['the conversation itself'] : [])].join(', ')}`,
  );
  const head = dry_run ? 'This would be removed:' : 'Removed:';
  return `${[head, ...lines].join('\n')}\n${describePending({ isDone, hasWorker })}`;
}

export const jsonLines = ({ dry_run, removed, submitted, isDone }: Data): object[] => [
  { dry_run, removed, ...(submitted === undefined ? {} : { submitted, done: isDone }) },
];
