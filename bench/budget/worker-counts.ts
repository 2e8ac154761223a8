/**
 * What a real worker takes until it is ready, for a trivial task and for a reply in a conversation, and how many tokens
 * its three roles ask with. The home stays for what is counted of commands.
 */
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTokenCounter } from '../../src/kit/text/tokens.ts';
import { newChatId } from '../../src/rooms/chat/model/chat-ids.ts';
import { executorRequest } from '../../src/kit/task/executor.ts';
import { criticRequest } from '../../src/rooms/task/roles/critic.ts';
import { plannerRequest } from '../../src/rooms/task/roles/planner.ts';
import type { ModelRequest } from '../../src/core/schema/ports.ts';
import { submitChat } from '../../src/rooms/chat/submit-chat.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { openStory, type Story } from '../../test/support/story.ts';
import { acting, goal, inParts, partOf, plan, verdict } from '../../test/support/story-model.ts';
import { call, say, type WireRequest } from '../../test/support/wire-server-reply.ts';
import type { WireScript } from '../../test/support/wire-server.ts';
import type { Counts } from './counts.ts';
import { quietConfig } from './quiet-config.ts';
import { changesIn, flushesIn, loadedIn, openRecording, type Recording } from './recording.ts';

/** Of one kind, one behind the other, after one that is not counted. */
const TIMES = 4;
const BLOCK = 4096;
const TASK = `Write a friendly greeting for Ada into hello.txt and look that it is there.\n`;

export function openCountedStory(): Promise<Story> {
  return openStory({ model: speak, config: quietConfig });
}

export async function workerCounts(story: Story, folder: string): Promise<Counts> {
  const recording = openRecording(folder, 'worker');
  const worker = story.start(['worker'], recording.env);
  const ready = await untilReady(story, recording);
  const task = await countsOf(story, recording, doTask);
  submitChat(story.home, { kind: 'chat_open', conversation: 'c-desk', name: 'desk' });
  const reply = await countsOf(story, recording, getReply);
  story.drop('greeting.md', `---\nid: greeting\n---\n${TASK}`);
  await story.ended('greeting');
  worker.kill('SIGTERM');
  await new Promise((done) => worker.once('exit', done));
  return {
    'the worker until it is ready': loadedIn(ready),
    'a trivial task': task,
    'a chat reply': reply,
    ...(await promptTokens(story.model.requests)),
  };
}

/** It has looked at its inbox some times. */
async function untilReady(story: Story, recording: Recording): Promise<string[]> {
  const lines: string[] = [];
  return story.until('the worker', async () => {
    lines.push(...recording.lines());
    return lines.filter((line) => /^call readdirSync .*\/inbox$/.test(line)).length > 5 ? lines : undefined;
  });
}

async function countsOf(
  story: Story,
  recording: Recording,
  work: (story: Story, time: number) => Promise<unknown>,
): Promise<Counts[string]> {
  await work(story, 0);
  await settle(recording);
  const all: Counts[string][] = [];
  for (let time = 1; time <= TIMES; time += 1) {
    const [events, ledger, disk] = [(await story.events()).length, ledgerSize(story), diskSize(story.home.dir)];
    await work(story, time);
    const lines = await settle(recording);
    all.push({
      events: (await story.events()).length - events,
      ledger_bytes: ledgerSize(story) - ledger,
      disk_bytes: diskSize(story.home.dir) - disk,
      flushes: flushesIn(lines),
      file_changes: changesIn(lines),
    });
  }
  return leastOf(all);
}

/** What is written because time has passed may come in between, and only adds: what is always needed is in all of them. */
function leastOf(all: readonly Counts[string][]): Counts[string] {
  const names = Object.keys(all[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, Math.min(...all.map((each) => each[name] ?? 0))]));
}

async function doTask(story: Story, time: number): Promise<void> {
  const step = `\`\`\`bash\nprintf 'hello\\n' > file-${time}.txt\n\`\`\``;
  story.drop(`t${time}.md`, `---\nid: t${time}\n---\n# One step\n\n${step}\n`);
  await story.ended(`t${time}`);
}

async function getReply(story: Story): Promise<void> {
  const message = newChatId();
  submitChat(story.home, { kind: 'chat_post', conversation: 'desk', message, content: '@oka Are you there?' });
  const isReply = ({ type, data }: Event): boolean =>
    type === 'message.posted' && data.chain === message && data.kind === 'agent';
  await story.until('a reply', async () => (await story.events()).find(isReply));
}

/** Everything since the last time, once nothing more is changed. */
async function settle(recording: Recording): Promise<string[]> {
  const lines: string[] = [];
  for (let more = 1; more > 0; ) {
    await sleep(300);
    const next = recording.lines();
    more = changesIn(next);
    lines.push(...next);
  }
  return lines;
}

const ledgerSize = (story: Story): number => statSync(story.home.ledgers.run).size;

/** Files in blocks, as most file systems store them, and ledgers as they grow. Databases grow by leaps, and do not count. */
function diskSize(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/sqlite/.test(entry.name))
    .map(({ parentPath, name }) => {
      const { size } = lstatSync(join(parentPath, name));
      return name.endsWith('.jsonl') ? size : Math.ceil(size / BLOCK) * BLOCK;
    })
    .reduce((sum, size) => sum + size, 0);
}

/** Of the first request of each role, and of requests about nothing. */
async function promptTokens(requests: readonly WireRequest[]): Promise<Counts> {
  const counter = await createTokenCounter('openai');
  const tokensOf = (role: string): Counts[string] => {
    const request = requests.find((each) => partOf(each) === role && !isChat(each));
    if (request === undefined) throw new Error(`the ${role} was not asked`);
    return { tokens: counter.count(`${request.text}${JSON.stringify(request.body['tools'])}`) };
  };
  return {
    'the three roles without a task': {
      tokens: emptyRequests
        .map(({ system, messages, tools }) =>
          counter.count(`${system}${messages.map(({ text }) => text).join('')}${JSON.stringify(tools)}`),
        )
        .reduce((sum, count) => sum + count, 0),
    },
    ...Object.fromEntries(
      ['planner', 'executor', 'critic'].map((role) => [`the prompt of the ${role}`, tokensOf(role)]),
    ),
  };
}

/** What is asked with whatever the task is: instructions, and the tools by which a role answers. */
const emptyRequests: readonly ModelRequest[] = [
  plannerRequest({ task: { title: '', text: '', criteria: [] }, pack: '', tools: [] }),
  executorRequest({
    run: '',
    node: '',
    turn: 0,
    goal: '',
    state: 'act',
    next: [],
    evidence: [],
    tools: [],
    budgets: {},
    problem: null,
  }),
  criticRequest({ task: '', criteria: [], evidence: [], attempt: 1, canRead: true }),
];

const isChat = ({ text }: WireRequest): boolean => text.includes('an agent in conversations');

/** Each of them is in the prompt of the executor in full. */
const TOOLS = ['read', 'list', 'search', 'write', 'edit', 'move', 'remove'].map((name) => `files.${name}`);
const ALL_TOOLS = [...TOOLS, 'shell', 'http.get', 'http.request', 'memory.search', 'memory.note'];

const doGreeting = inParts({
  planner: () => plan([goal('write', 'Write "Hello, Ada" into hello.txt', ALL_TOOLS)], ['The greeting is friendly.']),
  executor: acting(
    call('files_write', { path: 'hello.txt', content: 'Hello, Ada, how good to see you!\n' }),
    call('files_read', { path: 'hello.txt' }),
  ),
  critic: ({ text }) => {
    const evidence = [...text.matchAll(/\b(E\d+) files\.read/g)].at(-1)?.[1] ?? '';
    return verdict('done', [{ criterion: 'c1', holds: true, evidence, quote: 'how good to see you!' }]);
  },
});

const speak: WireScript = (request) => (isChat(request) ? say('Yes.') : doGreeting(request));
