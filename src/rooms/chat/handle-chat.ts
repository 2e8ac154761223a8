/** Owns: doing what a request about conversations asks for. When it resolves, that is durable. */
import { newChatId } from './model/chat-ids.ts';
import { eventsForRequest, isMeant } from './model/chat-requests.ts';
import type { ChatIntake, ChatState, Notice } from './model/chat-state.ts';
import { describePause, withoutWhatIsSo } from './model/chat-unchanged.ts';
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
  const { intake, already } =
    asked.kind === 'chat_change'
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
  const done = { conversations, stopped: inProgress.length };
  const unchanged = events.length > 0 ? null : (already ?? (await pauseAsItWas(ports, intake)));
  return { answer: Promise.resolve(unchanged === null ? done : { ...done, unchanged }) };
}

/** A pause waits for nothing; only what to say of one that changed nothing is read. */
async function pauseAsItWas({ rows }: HandlePorts, intake: ChatIntake): Promise<string | null> {
  if (intake.kind !== 'chat_pause' && intake.kind !== 'chat_resume') return null;
  return rows.read((read) => describePause(read, intake));
}

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
