import { expiredIn } from '../model/expired-messages.ts';
import { type ChatRequest, describePending, requestChat } from '../terminal/chat-access.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { readViews } from '../../../kit/cli/read-views.ts';

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

/** By the same rule as the worker's, who decides. */
async function findRemovable(call: Call<{ dryRun: boolean }>, now: number): Promise<Removed[]> {
  const expired = await readViews(call, (rows) => expiredIn(rows, now));
  return expired.map(({ name, messages, isEmpty }) => ({ conversation: name, messages, deleted: isEmpty }));
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
