/** Owns: conversations in a process with the pen: requests, replies, and their planner. Only a worker answers. */
import { searchMessages } from './model/chat-queries.ts';
import type { ChatIntake } from './model/chat-state.ts';
import type { RunState } from '../../core/engine/run-state.ts';
import type { Models } from '../../kit/models/role-models.ts';
import { noticeOfRun } from '../../core/schema/chat-names.ts';
import type { ChatConfig } from '../../core/schema/chat-config.ts';
import type { Config } from '../../core/schema/config.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ArtifactStore, ExecutionBackend, Planner, ToolRegistry } from '../../core/schema/ports.ts';
import type { LateAnswer } from '../../core/schema/room.ts';
import { wordsIn } from '../../core/schema/text-words.ts';
import type { SearchChat } from './chat-search-tool.ts';
import type { StartTask } from './task-start-tool.ts';
import type { AgentsPort } from '../../kit/ports/agents-port.ts';
import { isPaused, isStopped } from '../../kit/home/stop-files.ts';
import type { Memory } from '../../kit/ports/memory-port.ts';
import type { OfferChoice } from '../../kit/ports/offers-port.ts';
import type { LedgerPort, OnDurable, ProjectionsPort, Runs } from '../../kit/ports/port-types.ts';
import { firstEventOf } from '../../kit/views/run-rows.ts';
import { rowsReader } from '../../kit/rows/rows-reader.ts';
import type { ViewFolds } from '../../kit/rows/views-writer.ts';
import { chatTasks } from './chat-tasks.ts';
import { chatWriter } from './chat-writer.ts';
import { handleChat, type HandlePorts } from './handle-chat.ts';
import { replyPlanner } from './reply-planner.ts';
import { replyRuns } from './reply-runs.ts';
import { isTyping } from './typing-files.ts';

type OpenChatPorts = {
  home: Home;
  config: Config;
  settings: ChatConfig;
  ledger: LedgerPort;
  projections: ProjectionsPort;
  onDurable: OnDurable;
  agents: AgentsPort;
  artifacts: ArtifactStore;
  memory: Memory;
  models: Models;
  offers: OfferChoice;
  runs: Runs;
  backend: ExecutionBackend;
  tools: ToolRegistry;
  viewFolds: () => Promise<ViewFolds>;
  reportRun: (text: string, run: string) => void;
};

export type OpenChat = {
  planner: Planner;
  /** An agent searches the conversation in which it answers, and no other. */
  searchOwn: SearchChat;
  startTask: StartTask;
  /** Lets this process answer although it is no worker, as long as it has the pen. */
  answer: () => void;
  handle: (intake: ChatIntake) => Promise<LateAnswer>;
  runSettled: (run: RunState) => Promise<void>;
  /** Goes on with what a process that died had recorded; called before anything else. */
  recover: () => Promise<void>;
  poll: () => Promise<void>;
  close: () => Promise<void>;
};

export function openChat(ports: OpenChatPorts): OpenChat {
  const { home, config, ledger, projections, agents, runs } = ports;
  const writer = chatWriter(ledger, projections);
  const rows = rowsReader(home, ports.viewFolds);
  const replies = replyRuns({
    ...ports,
    writer,
    rows,
    isHalted: () => isStopped(home) || isPaused(home),
    isTyping: (conversation) => isTyping(home.oka, conversation, Date.now()),
    clock: Date.now,
  });
  const isReceived = (task: string): Promise<boolean> => rows.read((all) => firstEventOf(all, task) !== undefined);
  const tasks = chatTasks({ ...ports, writer, isReceived });
  const handled = { writer, agents, rows, replies };
  let isWorker = false;
  const advance = (): Promise<void> => (isWorker ? replies.advance() : Promise.resolve());
  const advanceSoon = (): void =>
    void advance().catch((error: unknown) => ports.reportRun(messageOf(error), 'conversations'));
  const unsubscribe = ports.onDurable((events) => {
    for (const event of events) noteEvent(event);
  });

  function noteEvent(event: Event): void {
    if (event.type === 'worker.started') isWorker = true;
    if (event.run !== null && noticeOfRun(event.run) !== null) replies.noteEvent({ ...event, run: event.run });
  }

  async function searchOwn(run: string, query: string, limit: number): ReturnType<SearchChat> {
    const named = writer.state().notices[noticeOfRun(run) ?? '']?.conversation;
    if (named === undefined) return [];
    const found = await rows.read((all) => searchMessages(all, wordsIn(query), { named, limit }));
    return found.map(({ message }) => message);
  }

  return {
    planner: replyPlanner({
      ...ports,
      state: writer.state,
      rows,
      runs,
      askAgainMs: config.models.ask_again_seconds * 1000,
      mostCalls: config.models.calls_per_answer,
      clock: Date.now,
    }),
    answer: () => {
      isWorker = true;
      advanceSoon();
    },
    searchOwn,
    startTask: tasks.start,
    handle: async (intake) => {
      const answer = await handleChat(handled, intake);
      advanceSoon();
      return answer;
    },
    runSettled: async (run) => {
      await tasks.settle(run);
      if (noticeOfRun(run.id) === null) return;
      await replies.settle(run);
      advanceSoon();
    },
    recover: async () => {
      await handlePending(handled, ledger);
      await tasks.recover();
    },
    poll: async () => advanceSoon(),
    close: async () => {
      unsubscribe();
      await rows.close();
    },
  };
}

/** A process that died had recorded a request and not handled it; later ones may rely on it (S3 in chat-state.ts). */
async function handlePending(handled: HandlePorts, ledger: Pick<LedgerPort, 'append'>): Promise<void> {
  const { pending } = handled.writer.state();
  if (pending === null) return;
  await handleChat(handled, pending.intake).catch((error: unknown) =>
    ledger.append({ type: 'intake.rejected', data: { name: pending.id, reason: messageOf(error) } }),
  );
}
