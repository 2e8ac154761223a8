/**
 * Owns: posting the answer to a notice, with the notices that its own mentions make, in one batch. Nothing is posted when
 * the notice was answered before, or its conversation is gone.
 */
import { newChatId } from './model/chat-ids.ts';
import type { Notice } from './model/chat-state.ts';
import { messageEvents } from './model/post-message.ts';
import type { ReplyCost } from '../../core/schema/chat.ts';
import { LONGEST_CONTENT } from '../../core/schema/chat-names.ts';
import type { ChatConfig } from '../../core/schema/chat-config.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { ArtifactRef } from '../../core/schema/tool.ts';
import type { AgentsPort } from '../../kit/ports/agents-port.ts';
import type { ChatWriter } from './chat-writer.ts';
import { exhaustedChain } from './reply-graph.ts';
import type { ReplyEnd } from './reply-message.ts';

export type PostReplyPorts = {
  writer: ChatWriter;
  agents: Pick<AgentsPort, 'list'>;
  artifacts: Pick<ArtifactStore, 'put'>;
  settings: ChatConfig;
};

export const NO_COST: ReplyCost = { usd: 0, tokens: 0, calls: 0 };

/** `run` is null when none could be started. */
export async function postReply(
  ports: PostReplyPorts,
  notice: Notice,
  { text, ...end }: ReplyEnd,
  run: string | null,
): Promise<void> {
  const content = await contentOf(text, ports.artifacts);
  const agents = ports.agents.list();
  const allowed = agents.find(({ name }) => name === notice.agent)?.mentions;
  const { agent: from, depth, chain } = notice;
  await ports.writer.write((state) => {
    const conversation = state.conversations[notice.conversation];
    if (conversation === undefined || state.notices[notice.notice] === undefined) return [];
    const refusal = exhaustedChain(ports.settings, addCosts(state.chains[chain], end.cost));
    const about = { message: newChatId(), from, depth, chain, notice: notice.notice, ...(run === null ? {} : { run }) };
    const mentions = { text: end.status === 'done' ? text : '', allowed };
    return messageEvents(
      conversation,
      { ...about, kind: 'agent', ...content, ...mentions, ...end },
      { known: agents.map(({ name }) => name), newId: newChatId, refusal },
    );
  });
}

/** Why no run could be started. */
export const failedEnd = (why: string): ReplyEnd => ({
  text: `I could not answer: ${why}`,
  status: 'failed',
  cost: NO_COST,
});

async function contentOf(
  text: string,
  artifacts: Pick<ArtifactStore, 'put'>,
): Promise<{ content: string; body?: ArtifactRef }> {
  if (text.length <= LONGEST_CONTENT) return { content: text };
  const body = await artifacts.put(text, { media: 'text/markdown', name: 'message.md' });
  return { content: text.slice(0, LONGEST_CONTENT), body };
}

const addCosts = (spent = NO_COST, cost: ReplyCost): ReplyCost => ({
  usd: spent.usd + cost.usd,
  tokens: spent.tokens + cost.tokens,
  calls: spent.calls + cost.calls,
});
