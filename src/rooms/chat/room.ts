/** What conversations contribute: their events and view, requests about them, and the replies of agents. */
import type { ChatIntake } from './model/chat-state.ts';
import type { RunState } from '../../core/engine/run-state.ts';
import type { ChatConfig } from '../../core/schema/chat-config.ts';
import { configPort, defineRoom, type OpenedRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { chatEventTypes } from './model/chat-events.ts';
import { refuseUse } from '../../kit/unused-ports.ts';

const { home, config, ledger, projections, onDurable, agents, artifacts, memory, models, offers, runs, backend } =
  ports;
const { tools, viewFolds, reportRun } = ports;
const gives = { replyPlanner: ports.replyPlanner, answerChats: ports.answerChats };

const KINDS = [
  'chat_open',
  'chat_post',
  'chat_pause',
  'chat_resume',
  'chat_delete',
  'chat_change',
  'chat_stop',
  'chat_cleanup',
] as const satisfies readonly ChatIntake['kind'][];

export const chat = defineRoom({
  name: 'rooms/chat',
  events: [...chatEventTypes, 'intake.rejected'],
  views: async () => [(await import('./model/chat-view.ts')).chatView],
  tools: ['chat.search', 'task.start'],
  detachedTools: async ({ purpose }) => {
    if (purpose === 'replay') return []; // conversations have gone on since: what was found then is in the record
    const [{ chatSearchTool }, { taskStartTool }] = await Promise.all([
      import('./chat-search-tool.ts'),
      import('./task-start-tool.ts'),
    ]);
    return [chatSearchTool(refuseUse), taskStartTool(refuseUse)];
  },
  projections: async () => [(await import('./model/chat-state.ts')).chatProjection],
  config: async () => ({ chat: (await import('../../core/schema/chat-config.ts')).ChatConfig.prefault({}) }),
  needs: {
    home,
    config,
    settings: configPort<ChatConfig>('chat'),
    ledger,
    projections,
    onDurable,
    agents,
    artifacts,
    memory,
    models,
    offers,
    runs,
    backend,
    tools,
    viewFolds,
    reportRun,
  },
  gives,
  open: async (needed): Promise<OpenedRoom<RunState, typeof gives>> => {
    const { lazyChat } = await import('./lazy-chat.ts');
    const { planner, answer, handle, ...opened } = lazyChat(needed, async () =>
      (await import('./open-chat.ts')).openChat(needed),
    );
    return {
      gives: { replyPlanner: planner, answerChats: answer },
      intakes: Object.fromEntries(KINDS.map((kind) => [kind, handle])),
      ...opened,
    };
  },
});
