/** Names and sizes in conversations that other code goes by. Free of zod, so that readers start fast. */

/** How a person is called in conversations. */
export const USER = 'user';
/** The name under which oka reports about a conversation itself. */
export const SYSTEM = 'system';
/** Longer texts are stored as artifacts, and a message has their beginning. */
export const LONGEST_CONTENT = 16_000;
/** How often a chain of mentions is forwarded at most. */
export const MOST_FORWARDS = 100;

export const noticeId = (message: string, agent: string): string => `${message}-${agent}`;
const REPLY_RUN = 'chat-';
/** The run that answers a notice; each has one name only, so that none is answered twice. */
export const replyRun = (notice: string): string => `${REPLY_RUN}${notice}`;
/** The agent whose reply a run is, or a run inside of it; null for other runs. */
export function agentOfRun(run: string): string | null {
  const [, ...agent] = (noticeOfRun(run)?.split('.', 1)[0] ?? '').split('-');
  return agent.length === 0 ? null : agent.join('-');
}
/** The notice that a run answers; null when the run is no reply. */
export const noticeOfRun = (run: string | null): string | null =>
  run?.startsWith(REPLY_RUN) === true ? run.slice(REPLY_RUN.length) : null;
