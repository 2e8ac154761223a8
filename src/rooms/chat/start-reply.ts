/** Owns: starting the run that answers a notice, and what it is started with. */
import { findMessage, latestMessages } from './model/chat-queries.ts';
import type { Notice } from './model/chat-state.ts';
import { takenEvent } from './model/post-message.ts';
import type { ChatMessage } from '../../core/schema/chat-answers.ts';
import { replyRun } from '../../core/schema/chat-names.ts';
import type { ChatConfig } from '../../core/schema/chat-config.ts';
import type { Json } from '../../core/schema/json.ts';
import type { ExecutionBackend, ToolRegistry } from '../../core/schema/ports.ts';
import type { AgentsPort } from '../../kit/ports/agents-port.ts';
import type { RowsReader } from '../../kit/rows/rows-reader.ts';
import type { ChatWriter } from './chat-writer.ts';
import { replyBudgets, replyGraph } from './reply-graph.ts';
import { NO_COST } from './post-reply.ts';

export type StartReplyPorts = {
  writer: ChatWriter;
  agents: AgentsPort;
  rows: Pick<RowsReader, 'read'>;
  backend: ExecutionBackend;
  tools: Pick<ToolRegistry, 'list'>;
  settings: ChatConfig;
};

/** Characters of the operator's latest messages that count as the words of the person who asks. */
const MOST_WORDS = 6000;
const MOST_READ = 60;

/** Resolves with false when it was stopped before it began: its conversation was paused or deleted, or the notice dropped. */
export async function startReply(ports: StartReplyPorts, notice: Notice): Promise<boolean> {
  const { conversation: id, message, agent: name, chain } = notice;
  const agent = ports.agents.get(name);
  const input = await inputOfReply(ports, notice);
  return ports.writer.inTurn(async ({ conversations, notices, chains }, append) => {
    const current = notices[notice.notice];
    if (current === undefined || conversations[id]?.isPaused !== false) return false;
    if (current.run === null) await append([takenEvent(notice)]);
    await ports.backend.start({
      kind: 'start',
      run: replyRun(notice.notice),
      graph: replyGraph(agent, ports.tools.list()),
      title: `${name} answers ${message} in ${conversations[id].name}`,
      input,
      budgets: replyBudgets(agent, ports.settings, chains[chain] ?? NO_COST),
    });
    return true;
  });
}

/** Of the texts only those of the person: what a run is started with counts as the operator's words. */
async function inputOfReply({ rows }: StartReplyPorts, notice: Notice): Promise<Json> {
  const { conversation, message, agent, depth } = notice;
  const latest = await rows.read((all) => latestMessages(all, conversation, { limit: MOST_READ }));
  const isAmongThem = latest.some(({ id }) => id === message);
  const asked = isAmongThem ? undefined : await rows.read((all) => findMessage(all, conversation, message));
  let room = MOST_WORDS;
  const words: string[] = [];
  for (const { kind, content } of [...(asked === undefined ? [] : [asked]), ...latest.toReversed()]) {
    if (kind !== 'person' || room <= 0) continue;
    words.unshift(content.slice(0, room));
    room -= content.length;
  }
  return { conversation, message, agent, depth, operator: words, reads_agents: mayHaveAgentsWords(latest) };
}

/** Reports about tasks contain what a model wrote, too; and nobody has looked at what is further back. */
const mayHaveAgentsWords = (latest: readonly ChatMessage[]): boolean =>
  latest.length === MOST_READ ||
  latest.some(({ kind, run }) => kind === 'agent' || (kind === 'system' && run !== null));
