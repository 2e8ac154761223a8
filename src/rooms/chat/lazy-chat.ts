/**
 * Owns: conversations as long as nobody talks: until a request, a reply or a task of an agent needs it, nothing of
 * open-chat.ts is loaded.
 */
import { chatProjection, type ChatState } from './model/chat-state.ts';
import { noticeOfRun } from '../../core/schema/chat-names.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { chatSearchTool } from './chat-search-tool.ts';
import { taskStartTool } from './task-start-tool.ts';
import type { OnDurable, ProjectionsPort } from '../../kit/ports/port-types.ts';
import type { OpenChat } from './open-chat.ts';

type LazyChat = Omit<OpenChat, 'searchOwn' | 'startTask' | 'recover'> & {
  tools: readonly Tool[];
  refresh: () => Promise<void>;
};

export function lazyChat(
  { projections, onDurable }: { projections: ProjectionsPort; onDurable: OnDurable },
  open: () => Promise<OpenChat>,
): LazyChat {
  let opened: Promise<OpenChat> | null = null;
  let isWorker = false;
  let isFresh = true;
  const load = async (): Promise<OpenChat> => {
    const chat = await open();
    if (isWorker) chat.answer();
    return chat;
  };
  const chat = (): Promise<OpenChat> => (opened ??= load());
  const isNeeded = (): boolean => opened !== null || !isQuiet(projections.stateOf(chatProjection));
  const leave = onDurable((events) => {
    isWorker ||= events.some(({ type }) => type === 'worker.started');
    if (isWorker) leave();
  });
  return {
    planner: { decide: async (input, act) => (await chat()).planner.decide(input, act) },
    tools: [
      chatSearchTool(async (...asked) => (await chat()).searchOwn(...asked)),
      taskStartTool(async (...asked) => (await chat()).startTask(...asked)),
    ],
    answer: () => {
      isWorker = true;
      if (isNeeded()) void chat().then((now) => now.answer());
    },
    handle: async (intake) => (await chat()).handle(intake),
    runSettled: async (run) => {
      if (noticeOfRun(run.id) !== null || isNeeded()) await (await chat()).runSettled(run);
    },
    /** What a process before left open is there at the first call, or not at all. */
    refresh: async () => {
      if (!isFresh) return;
      isFresh = false;
      if (isNeeded()) await (await chat()).recover();
    },
    poll: async () => {
      if (isNeeded()) await (await chat()).poll();
    },
    close: async () => {
      leave();
      await (await opened)?.close();
    },
  };
}

/** Whether nobody waits for a reply, and for no task of an agent. */
const isQuiet = ({ notices, owed, tasks, pending }: ChatState): boolean =>
  pending === null && [notices, owed, tasks].every((each) => Object.keys(each).length === 0);
