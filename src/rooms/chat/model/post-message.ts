/**
 * Owns: the events of one message: the message itself, who joins because of it, and the notices that its mentions make,
 * all for one batch.
 *
 * P1 Only texts of people and agents ask somebody; reports of oka itself never do.
 * P2 A chain of mentions is forwarded MOST_FORWARDS times at most, and says so when it stops.
 */
import type { TaskReport } from '../../../core/schema/chat.ts';
import { MOST_FORWARDS, noticeId, replyRun, SYSTEM, USER } from '../../../core/schema/chat-names.ts';
import { OKA_AGENT } from '../../../core/schema/agent-file.ts';
import type { NewEvent } from '../../../core/schema/event.ts';
import type { Conversation, Notice } from './chat-state.ts';
import { type Mentions, resolveMentions } from './mentions.ts';

type Posted = Extract<NewEvent, { type: 'message.posted' }>['data'];

type NewMessage = Omit<Posted, 'conversation' | 'asks'> & {
  /** What is searched for mentions, where it is longer than the content. */
  text?: string;
  /** Agents that the author may mention; undefined = any. */
  allowed?: readonly string[] | undefined;
};

export type PostingContext = {
  /** Agents that there are. */
  known: readonly string[];
  newId: () => string;
  /** Why the chain must not go on; null when it may. */
  refusal?: string | null;
};

export function messageEvents(
  conversation: Conversation,
  { text, allowed, ...message }: NewMessage,
  { known, newId, refusal = null }: PostingContext,
): NewEvent[] {
  const { id, members } = conversation;
  const { chain, kind, from } = message;
  const depth = kind === 'person' ? 0 : message.depth + 1;
  const mentions = mentionsOf(text ?? message.content, conversation, { author: from, kind, known, allowed });
  const stop = mentions.agents.length === 0 ? null : (refusal ?? depthRefusal(depth));
  const asks = stop === null ? mentions.agents : [];
  const joining = asks.filter((agent) => !members.includes(agent));
  const report = (content: string): NewEvent => ({
    type: 'message.posted',
    data: { conversation: id, message: newId(), from: SYSTEM, kind: 'system', content, depth: message.depth, chain },
  });
  const posted: Posted = { ...message, conversation: id, ...(asks.length === 0 ? {} : { asks }) };
  return [
    { type: 'message.posted', data: posted },
    ...joining.flatMap((agent): NewEvent[] => [
      { type: 'chat.joined', data: { conversation: id, agent, message: message.message } },
      report(`${agent} joined`),
    ]),
    ...noticeEvents({ conversation: id, message: message.message, depth, chain }, asks, mentions.isAll),
    ...problemsOf(mentions, stop).map(report),
  ];
}

export function noticeEvents(
  asked: { conversation: string; message: string; depth: number; chain: string },
  agents: readonly string[],
  isSnapshot: boolean,
): NewEvent[] {
  return agents.map((agent) => ({
    type: 'notice.queued',
    data: { notice: noticeId(asked.message, agent), ...asked, agent, ...(isSnapshot ? { snapshot: true } : {}) },
  }));
}

/** A message of oka itself about a task that an agent has started. */
export function taskReportEvent({
  task,
  ...report
}: Pick<Posted, 'conversation' | 'message' | 'depth' | 'chain' | 'content'> & { task: TaskReport }): NewEvent {
  return { type: 'message.posted', data: { ...report, from: SYSTEM, kind: 'system', run: task.id, task } };
}

/** The notice is being answered by the run of its name. */
export function takenEvent({ notice, conversation }: Pick<Notice, 'notice' | 'conversation'>): NewEvent {
  return { type: 'notice.taken', data: { notice, conversation, run: replyRun(notice) } };
}

type Author = {
  author: string;
  kind: Posted['kind'];
  known: readonly string[];
  allowed: readonly string[] | undefined;
};

/** A person who mentions nobody speaks to the one agent of the conversation, or to oka while there is none. */
function mentionsOf(text: string, { members }: Conversation, { kind, author, known, allowed }: Author): Mentions {
  if (kind === 'system') return { agents: [], unknown: [], refused: [], isAll: false };
  const found = resolveMentions(text, { author, known, members, allowed, others: [USER, SYSTEM] });
  const { agents, unknown, isAll } = found;
  if (kind === 'agent' || isAll || agents.length + unknown.length > 0 || members.length > 1) return found;
  const [partner = OKA_AGENT] = members;
  return { ...found, agents: known.includes(partner) ? [partner] : [] };
}

const depthRefusal = (depth: number): string | null =>
  depth > MOST_FORWARDS ? `it was forwarded ${MOST_FORWARDS} times` : null;

function problemsOf({ agents, unknown, refused, isAll }: Mentions, stop: string | null): string[] {
  const list = (names: readonly string[]): string => names.map((name) => `@${name}`).join(', ');
  return [
    ...(stop === null ? [] : [`The chain stops here: ${stop}. Not asked: ${list(agents)}.`]),
    ...(unknown.length === 0 ? [] : [`There is no agent ${list(unknown)}.`]),
    ...(refused.length === 0 ? [] : [`It may not mention ${list(refused)}, so they were not asked.`]),
    ...(isAll && agents.length === 0 ? ['Nobody else is in this conversation, so @all asks nobody.'] : []),
  ];
}
