/** Owns: the turns of a reply: the prompt out of the conversation and memory, and what the model's answer means. */
import { describeAgent, describeAsked, showConversation } from './model/chat-prompt.ts';
import { findMessage, latestMessages, pinnedMessages } from './model/chat-queries.ts';
import type { ChatState } from './model/chat-state.ts';
import type { Models } from '../../kit/models/role-models.ts';
import { readReply, replyRequest } from './chat-reply.ts';
import { noticeOfRun } from '../../core/schema/chat-names.ts';
import type { ChatMessage } from '../../core/schema/chat-answers.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { NoDecision, Planner, PlannerInput } from '../../core/schema/ports.ts';
import type { AgentsPort } from '../../kit/ports/agents-port.ts';
import type { Memory } from '../../kit/ports/memory-port.ts';
import type { OfferChoice } from '../../kit/ports/offers-port.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { answerIn, inputOf } from '../../kit/models/ask-model.ts';
import { describeMoment } from '../../kit/describe-moment.ts';
import type { RowsReader } from '../../kit/rows/rows-reader.ts';

export type ReplyPlannerPorts = {
  state: () => ChatState;
  rows: Pick<RowsReader, 'read'>;
  agents: AgentsPort;
  memory: Pick<Memory, 'pack'>;
  models: Pick<Models, 'for'>;
  offers: Pick<OfferChoice, 'forTurn'>;
  runs: Pick<Runs, 'post'>;
  askAgainMs: number;
  /** How many calls one answer may contain. */
  mostCalls?: number;
  clock: () => number;
};

/** How many of the latest messages are read for a prompt; older ones are found by search. */
const MOST_READ = 600;

export function replyPlanner(ports: ReplyPlannerPorts): Planner {
  return {
    decide: async (asked, act) => {
      const context = await readContext(ports, asked.run);
      if ('failed' in context) return context;
      const { agent, conversation, asked: message, messages, pinned } = context;
      const { tools, skills } = ports.offers.forTurn({ ...asked, goal: message.content });
      const input = { ...asked, tools };
      const model = agent.model;
      const id = ports.models.for('executor', model)?.id ?? null;
      const pack = await ports.memory.pack(
        { role: 'executor', run: input.run, node: input.node, query: message.content, model: id },
        (event) => void ports.runs.post(event.run, event),
      );
      const request = replyRequest(input, {
        system: describeAgent(agent, ports.agents.list()),
        conversation: showConversation({ ...conversation, messages, pinned }),
        asked: describeAsked(message, messages),
        pack,
        now: describeMoment(ports.clock()),
        offers: { skills },
      });
      return readOutcome(await act('model.complete', inputOf(request, model)), input, ports);
    },
  };
}

type Outcome = Awaited<ReturnType<Parameters<Planner['decide']>[1]>>;

function readOutcome(
  outcome: Outcome,
  input: PlannerInput,
  { askAgainMs, mostCalls }: ReplyPlannerPorts,
): ReturnType<Planner['decide']> {
  if (outcome.status === 'ok') {
    const answer = answerIn(outcome.output);
    return answer.problem === null ? readReply(answer, input, mostCalls) : { problem: answer.problem };
  }
  if (outcome.status === 'waiting' && outcome.for.kind === 'timer') return { wait: outcome.for };
  const error = 'error' in outcome ? outcome.error : outcome.status;
  if (outcome.status === 'failed' && outcome.temporary === true)
    return { later: askAgainMs, reason: `the model ${error}` };
  return { failed: error };
}

type Context = {
  agent: ReturnType<AgentsPort['get']>;
  conversation: { name: string; members: readonly string[] };
  asked: ChatMessage;
  messages: ReturnType<typeof latestMessages>;
  pinned: ReturnType<typeof pinnedMessages>;
};

async function readContext(
  ports: ReplyPlannerPorts,
  run: string,
): Promise<Context | Extract<NoDecision, { failed: string }>> {
  const { notices, conversations } = ports.state();
  const notice = notices[noticeOfRun(run) ?? ''];
  const conversation = notice === undefined ? undefined : conversations[notice.conversation];
  if (notice === undefined || conversation === undefined) return { failed: 'the conversation is gone' };
  const until = notice.isSnapshot ? notice.message : undefined;
  const { messages, pinned, asked } = await ports.rows.read((rows) => ({
    messages: latestMessages(rows, conversation.id, { limit: MOST_READ, until }),
    pinned: pinnedMessages(rows, conversation.id),
    asked: findMessage(rows, conversation.id, notice.message),
  }));
  if (asked === undefined) return { failed: 'the message is gone' };
  try {
    return { agent: ports.agents.get(notice.agent), conversation, asked, messages, pinned };
  } catch (error) {
    return { failed: messageOf(error) };
  }
}
