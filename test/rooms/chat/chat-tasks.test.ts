import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chatProjection, type ChatState } from '../../../src/rooms/chat/model/chat-state.ts';
import { type ChatTasks, chatTasks } from '../../../src/rooms/chat/chat-tasks.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { RunState } from '../../../src/core/engine/run-state.ts';
import { taskGraph } from '../../../src/kit/task/task-loop.ts';
import { replyRun } from '../../../src/core/schema/chat-names.ts';
import { ChatConfig } from '../../../src/core/schema/chat-config.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import { temporaryFolder } from '../../support/cli.ts';

const MESSAGE = '01jd3k5m7xyz';
const REPLY = replyRun(`${MESSAGE}-arya`);

/** Each call of `open` is a new process over the same events. */
function chatWithReply(dir: string): {
  open: () => ChatTasks;
  runs: Map<string, RunState>;
  posted: () => string[];
  endReply: () => void;
} {
  const asked = { conversation: 'c', depth: 0, chain: MESSAGE };
  const events: NewEvent[] = [
    { type: 'chat.opened', data: { conversation: 'c', name: 'forge', ttl: null } },
    { type: 'message.posted', data: { ...asked, message: MESSAGE, from: 'user', kind: 'person', content: '@arya' } },
    { type: 'notice.queued', data: { ...asked, notice: `${MESSAGE}-arya`, message: MESSAGE, agent: 'arya' } },
  ];
  const state = (): ChatState =>
    events.reduce((folded, event) => chatProjection.apply(folded, event as Event), chatProjection.initial());
  const write = async (decide: (now: ChatState) => NewEvent[]): Promise<NewEvent[]> => {
    const added = decide(state());
    events.push(...added);
    return added;
  };
  const runs = new Map<string, RunState>();
  const runPorts = { stateOf: async (run: string) => runs.get(run) ?? null };
  return {
    open: () =>
      chatTasks({
        home: homeAt(dir),
        writer: { state, write },
        runs: runPorts,
        settings: ChatConfig.parse({}),
        isReceived: async (id) => runs.has(id),
      }),
    runs,
    endReply: () =>
      void events.push({
        type: 'notice.dropped',
        data: { notice: `${MESSAGE}-arya`, conversation: 'c', reason: 'stopped' },
      }),
    posted: () =>
      events.flatMap(({ type, data }) => (type === 'message.posted' && data.kind === 'system' ? [data.content] : [])),
  };
}

function taskRun(id: string, fields: Partial<RunState>): RunState {
  const run = { id, status: 'running', waits: new Map(), failure: null, reason: '', parent: null, ...fields };
  return { ...run, plan: { graph: taskGraph } } as unknown as RunState;
}

const inboxOf = (dir: string): string[] => readdirSync(join(dir, 'workspace', 'inbox', '.new'));

describe('a task that an agent starts', () => {
  it('is one task however often the call is repeated by processes that were killed', async () => {
    using folder = temporaryFolder();
    const { open, posted } = chatWithReply(folder.dir);
    const first = await open().start(REPLY, { text: 'Make a sword.' });
    const again = await open().start(REPLY, { text: 'Make a sword.' });
    expect(again).toEqual(first);
    expect(inboxOf(folder.dir)).toHaveLength(1);
    expect(posted()).toEqual([expect.stringContaining('arya started the task "Make a sword."')]);
    await open().start(REPLY, { text: 'Make a shield.' });
    expect(inboxOf(folder.dir)).toHaveLength(2);
  });

  it('has one message when it waits for a person and one when it ends, also if the process died before', async () => {
    using folder = temporaryFolder();
    const { open, runs, posted } = chatWithReply(folder.dir);
    await open().start(REPLY, { text: 'Make a sword.' });
    const [id = ''] = inboxOf(folder.dir);
    const inner = { wait: 'w2', node: 'step', for: { kind: 'approval', binding: 'x', text: 'May I?' } } as const;
    const outer = { wait: 'w1', node: 'run', for: { kind: 'child', run: `${id}.1` } } as const;
    runs.set(`${id}.1`, { ...taskRun(`${id}.1`, { parent: id }), waits: new Map([['w2', inner]]) });
    runs.set(id, taskRun(id, { status: 'blocked', waits: new Map([['w1', outer]]) }));
    for (const tasks of [open(), open()]) await tasks.recover();
    expect(posted().slice(1)).toEqual([`The task "Make a sword." waits for you: oka show ${id}`]);
    const ended = taskRun(id, { status: 'failed', reason: 'no steel' });
    runs.set(id, ended);
    await open().settle(ended);
    for (const tasks of [open(), open()]) await tasks.recover();
    expect(posted().slice(2)).toEqual([`The task "Make a sword." failed: no steel. More: oka show ${id}`]);
  });

  it('is reported as cancelled if its reply was stopped before it was in the inbox, and only then', async () => {
    using folder = temporaryFolder();
    const { open, endReply, posted } = chatWithReply(folder.dir);
    await open().start(REPLY, { text: 'Make a sword.' });
    await open().start(REPLY, { text: 'Make a shield.' });
    const [lost = ''] = inboxOf(folder.dir);
    rmSync(join(folder.dir, 'workspace', 'inbox', '.new', lost), { recursive: true });
    await open().recover();
    expect(posted()).toHaveLength(2); // the reply goes on and repeats the call
    endReply();
    for (const tasks of [open(), open()]) await tasks.recover();
    expect(posted()).toHaveLength(3);
    expect(posted().at(-1)).toContain('was cancelled: its reply was stopped before the task was in the inbox.');
  });

  it('waits for nothing that a person could do while it waits for a moment', async () => {
    using folder = temporaryFolder();
    const { open, runs, posted } = chatWithReply(folder.dir);
    await open().start(REPLY, { text: 'Make a sword.' });
    const [id = ''] = inboxOf(folder.dir);
    const wait = { wait: 'w', node: null, for: { kind: 'timer', until: '2026-01-01T00:00:00.000Z', ms: 1 } } as const;
    runs.set(id, taskRun(id, { status: 'blocked', waits: new Map([['w', wait]]) }));
    await open().recover();
    expect(posted()).toHaveLength(1);
  });

  it('has a folder of its own on the desk', async () => {
    using folder = temporaryFolder();
    await chatWithReply(folder.dir).open().start(REPLY, { text: 'Make a sword.' });
    const [id = ''] = inboxOf(folder.dir);
    const added = readdirSync(join(folder.dir, 'workspace', 'inbox', '.new', id), {
      recursive: true,
      encoding: 'utf8',
    });
    const [file = ''] = added.filter((name) => name.endsWith('.md'));
    expect(readFileSync(join(folder.dir, 'workspace', 'inbox', '.new', id, file), 'utf8')).toMatch(/^place: "?own"?$/m);
  });

  it('is started by replies in progress only', async () => {
    using folder = temporaryFolder();
    const { open, posted } = chatWithReply(folder.dir);
    expect(await open().start('some-task', { text: 'Make a sword.' })).toMatchObject({ status: 'failed' });
    expect(posted()).toEqual([]);
  });
});
