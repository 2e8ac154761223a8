/**
 * Owns: tasks that agents start in conversations: how one gets into the inbox, and the messages about it.
 * Does not own: the task itself, which is claimed, planned and judged as every task is.
 *
 * C1 Its text has the rights of a model: the field from_chat says that no person wrote it, and all other fields are
 *    written here, so that front matter, steps and criteria in the text grant nothing.
 * C2 The same request of the same reply is the same task, also after the process was killed: its name follows from both.
 * C3 What its tasks may cost is taken out of the budget of the chain when they start, so that a chain that starts tasks
 *    in a loop ends.
 * C5 A task that was announced is in the inbox, or a message says that it never began: the process may have died between
 *    the two, and its reply may have been stopped before it could repeat the call.
 * C4 One message each says that it was started, that it waits for a person, and how it ended; whether one was posted is
 *    found in the ledger.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { newChatId } from './model/chat-ids.ts';
import type { ChatTask, Notice } from './model/chat-state.ts';
import { taskReportEvent } from './model/post-message.ts';
import { isOver, type RunState } from '../../core/engine/run-state.ts';
import { addTask } from '../../kit/inbox/add-task.ts';
import { mayBeClaimed } from '../../kit/inbox/inbox-folders.ts';
import { claimedFolder, newFolder } from '../../kit/inbox/inbox-folders.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import type { ReplyCost, TaskReport } from '../../core/schema/chat.ts';
import { noticeId, noticeOfRun } from '../../core/schema/chat-names.ts';
import type { ChatConfig } from '../../core/schema/chat-config.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { toOneLine } from '../../core/schema/one-line.ts';
import type { Outcome } from '../../core/schema/tool.ts';
import { ok } from '../../kit/define-tool.ts';
import type { StartTask, TaskStart } from './task-start-tool.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { taskOf } from '../../kit/runs/run-family.ts';
import type { ChatWriter } from './chat-writer.ts';
import { NO_COST } from './post-reply.ts';
import { exhaustedChain } from './reply-graph.ts';

type ChatTaskPorts = {
  home: Home;
  writer: Pick<ChatWriter, 'state' | 'write'>;
  runs: Pick<Runs, 'stateOf'>;
  settings: ChatConfig;
  /** Whether the ledger has the task. */
  isReceived: (task: string) => Promise<boolean>;
};

export type ChatTasks = {
  start: StartTask;
  /** Called when any run settles; posts what is new about the task that it belongs to. */
  settle: (run: RunState) => Promise<void>;
  /** Posts what a process that died had not posted. */
  recover: () => Promise<void>;
};

/** Which part of the budget of a chain one task may use. */
const SHARE = 4;
const LONGEST_REASON = 1000;

export function chatTasks(given: ChatTaskPorts): ChatTasks {
  const ports: Context = { ...given, starting: new Set() };
  return {
    start: (run, input) => startTask(ports, run, input),
    settle: async (run) => {
      const tasks = Object.values(ports.writer.state().tasks);
      if (tasks.length === 0) return;
      const task = await taskOf(run, ports.runs);
      if (task !== null) await reportTask(ports, task);
      const notice = isOver(run.status) ? noticeOfRun(run.id) : null;
      if (notice !== null)
        for (const own of tasks.filter((each) => noticeOfTask(each) === notice)) await reportLost(ports, own);
    },
    recover: async () => {
      const { tasks, notices } = ports.writer.state();
      for (const task of Object.values(tasks)) {
        const run = await ports.runs.stateOf(task.id);
        if (run !== null) await reportTask(ports, run);
        else if (notices[noticeOfTask(task)] === undefined) await reportLost(ports, task);
      }
    },
  };
}

/** `starting`: the tasks that this process is putting into the inbox. */
type Context = ChatTaskPorts & { starting: Set<string> };

const taskId = ({ message }: Notice, run: string, input: TaskStart): string =>
  `asked-${message}-${hash('sha256', JSON.stringify([run, input])).slice(0, 8)}`;

const noticeOfTask = ({ id, agent }: Pick<ChatTask, 'id' | 'agent'>): string => noticeId(id.split('-')[1] ?? '', agent);

/** C5: for a task whose reply is over, so that nobody will put it into the inbox any more. */
async function reportLost(ports: Context, { id }: ChatTask): Promise<void> {
  const inbox = join(ports.home.workspace, 'inbox');
  // It moves from one of these to the next, so that it is found if they are asked in this order.
  const isThere =
    ports.starting.has(id) ||
    lstatIfPresent(join(newFolder(inbox), id)) !== undefined ||
    mayBeClaimed(inbox, id) ||
    (await ports.isReceived(id));
  if (!isThere) await post(ports, id, 'cancelled', 'its reply was stopped before the task was in the inbox');
}

async function startTask(ports: Context, run: string, input: TaskStart): Promise<Outcome> {
  const { writer, runs, starting } = ports;
  const notice = writer.state().notices[noticeOfRun(run) ?? ''];
  if (notice === undefined) return { status: 'failed', error: 'only a reply in a conversation starts tasks this way' };
  const id = taskId(notice, run, input);
  if ((await runs.stateOf(id)) !== null) return started(id);
  starting.add(id);
  try {
    return await announceAndAdd(ports, notice, input, id);
  } finally {
    starting.delete(id);
  }
}

async function announceAndAdd(ports: Context, notice: Notice, input: TaskStart, id: string): Promise<Outcome> {
  const { home, writer } = ports;
  const refusal = await reserve(ports, notice, { id, title: titleOf(input) });
  if (refusal !== null) return { status: 'failed', error: refusal };
  const budget = writer.state().tasks[id]?.budget ?? NO_COST;
  try {
    const inbox = join(home.workspace, 'inbox');
    if (lstatIfPresent(join(claimedFolder(inbox), id)) === undefined)
      addTask(inbox, { text: input.text, fields: fieldsOf(notice, input, id, budget) }, undefined, id);
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    await post(ports, id, 'failed', messageOf(error));
    return { status: 'failed', error: messageOf(error) };
  }
  return started(id);
}

const started = (task: string): Outcome =>
  ok({ task, note: 'It is worked on; a message follows when it waits for a person or has ended.' });

const titleOf = ({ title, text }: TaskStart): string => toOneLine(title ?? text.split('\n', 1)[0] ?? '', 200);

/** Every field that a text could set is set here or stays empty (C1). */
function fieldsOf(
  { conversation, message, agent }: Notice,
  input: TaskStart,
  id: string,
  { calls: tool_calls, tokens, usd }: ReplyCost,
): NonNullable<Extract<Parameters<typeof addTask>[1], { text: string }>['fields']> {
  return {
    id,
    title: titleOf(input),
    ...(input.criteria === undefined ? {} : { accept: input.criteria }),
    budget: { tool_calls, tokens, usd },
    place: 'own',
    from_chat: { conversation, message, agent },
  };
}

/** Records the task and takes its share out of the chain (C3); returns why it must not start, or null. */
async function reserve(
  { writer, settings }: ChatTaskPorts,
  { notice, conversation, agent, depth, chain }: Notice,
  { id, title }: { id: string; title: string },
): Promise<string | null> {
  let refusal: string | null = null;
  await writer.write((state) => {
    if (state.tasks[id] !== undefined) return [];
    const spent = state.chains[chain] ?? NO_COST;
    refusal = state.notices[notice] === undefined ? 'the reply was stopped' : exhaustedChain(settings, spent);
    if (refusal !== null) return [];
    const content = `${agent} started the task "${title}" (${id}).`;
    const task: TaskReport = { id, title, state: 'started', agent, budget: shareOf(settings, spent) };
    return [taskReportEvent({ conversation, depth, chain, content, message: newChatId(), task })];
  });
  return refusal === null ? null : `no task can be started in this chain any more: ${String(refusal)}`;
}

function shareOf({ chain }: ChatConfig, spent: ReplyCost): ReplyCost {
  const part = (most: number, used: number): number => Math.min(most / SHARE, most - used);
  return {
    calls: Math.ceil(part(chain.calls, spent.calls)),
    tokens: Math.ceil(part(chain.tokens, spent.tokens)),
    usd: part(chain.usd, spent.usd),
  };
}

async function reportTask(ports: ChatTaskPorts, run: RunState): Promise<void> {
  const task = ports.writer.state().tasks[run.id];
  if (task === undefined) return;
  if (isOver(run.status)) {
    const status = run.status === 'done' ? 'done' : run.status === 'cancelled' ? 'cancelled' : 'failed';
    return post(ports, run.id, status, run.failure?.reason ?? run.reason);
  }
  if (!task.isWaiting && (await waitsForPerson(run, ports.runs))) await post(ports, run.id, 'waiting', '');
}

/** Whether the run, or one that it waits for, waits for something that a person has to do. */
async function waitsForPerson(run: RunState, runs: ChatTaskPorts['runs']): Promise<boolean> {
  for (const { for: awaited } of run.waits.values()) {
    if (awaited.kind === 'approval' || awaited.kind === 'question' || awaited.kind === 'requirement') return true;
    const inner = awaited.kind === 'child' ? await runs.stateOf(awaited.run) : null;
    if (inner !== null && (await waitsForPerson(inner, runs))) return true;
  }
  return false;
}

/** Posts a message about a task, unless it was posted before (C4). */
async function post({ writer }: ChatTaskPorts, id: string, status: TaskReport['state'], why: string): Promise<void> {
  await writer.write((state) => {
    const task = state.tasks[id];
    if (task === undefined || (status === 'waiting' && task.isWaiting)) return [];
    const { conversation, depth, chain, title, agent } = task;
    const content = describeState(task, status, why);
    return [
      taskReportEvent({
        conversation,
        depth,
        chain,
        content,
        message: newChatId(),
        task: { id, title, agent, state: status },
      }),
    ];
  });
}

function describeState({ id, title }: ChatTask, status: TaskReport['state'], why: string): string {
  const name = `The task "${title}"`;
  const because = why === '' ? '' : `: ${toOneLine(why, LONGEST_REASON)}`;
  switch (status) {
    case 'done':
      return `${name} is done. Its result: workspace/outbox/${id}/RESULT.md`;
    case 'failed':
      return `${name} failed${because}. More: oka show ${id}`;
    case 'cancelled':
      return `${name} was cancelled${because}.`;
    case 'waiting':
      return `${name} waits for you: oka show ${id}`;
    case 'started':
      return `${name} was started (${id}).`;
  }
}
