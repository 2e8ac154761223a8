/** Owns: doing what a request about conversations asks for. When it resolves, that is durable. */
import { newChatId } from './model/chat-ids.ts';
import { eventsForRequest, isMeant } from './model/chat-requests.ts';
import type { ChatIntake, ChatState, Notice } from './model/chat-state.ts';
import { withoutWhatIsSo } from './model/chat-unchanged.ts';
import { expiredIn, expiryEvents } from './model/expired-messages.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { LateAnswer } from '../../core/schema/room.ts';
import type { AgentsPort } from '../../kit/ports/agents-port.ts';
import type { RowsReader } from '../../kit/rows/rows-reader.ts';
import type { ChatWriter } from './chat-writer.ts';
import { STOPPED } from './reply-message.ts';
import type { ReplyRuns } from './reply-runs.ts';

export type HandlePorts = {
  writer: ChatWriter;
  agents: Pick<AgentsPort, 'list'>;
  rows: Pick<RowsReader, 'read'>;
  replies: Pick<ReplyRuns, 'stop'>;
};

export async function handleChat(ports: HandlePorts, asked: ChatIntake): Promise<LateAnswer> {
  const { intake, already } = SWITCHING.has(asked.kind)
    ? await ports.rows.read((rows) => withoutWhatIsSo(rows, asked))
    : { intake: asked, already: null };
  const known = ports.agents.list().map(({ name }) => name);
  const expired =
    intake.kind === 'chat_cleanup' ? await ports.rows.read((rows) => expiredIn(rows, Date.parse(intake.before))) : [];
  let inProgress: Notice[] = [];
  const events = await ports.writer.write((state) => {
    inProgress = repliesToStop(state, intake);
    return [...eventsForRequest(state, intake, { known, newId: newChatId }), ...expired.flatMap(expiryEvents)];
  });
  for (const notice of inProgress) ports.replies.stop(notice, STOPPED);
  const conversations = [...new Set(events.flatMap(conversationOf))];
  const unchanged = events.length === 0 && already !== null ? { unchanged: already } : {};
  return { answer: Promise.resolve({ conversations, stopped: inProgress.length, ...unchanged }) };
}

const SWITCHING: ReadonlySet<ChatIntake['kind']> = new Set(['chat_change', 'chat_pause', 'chat_resume']);

/** Notices whose runs end with the request. */
function repliesToStop({ notices, names }: ChatState, intake: ChatIntake): Notice[] {
  if (intake.kind !== 'chat_stop' && intake.kind !== 'chat_delete') return [];
  const id = names[intake.conversation] ?? intake.conversation;
  return Object.values(notices)
    .filter(({ conversation, run }) => conversation === id && run !== null)
    .filter(({ notice }) => intake.kind === 'chat_delete' || isMeant(intake, notice))
    .map((notice) => ({ ...notice }));
}

const conversationOf = ({ data }: NewEvent): string[] => ('conversation' in data ? [data.conversation] : []);
