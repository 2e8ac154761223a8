/** Tasks whose model carries out fixed steps, through a real worker: what a model does is given, what becomes of it is not. */
import type { ChildProcess } from 'node:child_process';
import type { Json } from '../../src/core/schema/json.ts';
import { openStory, type Story, type StoryOptions } from './story.ts';
import { acting, goal, inParts, plan } from './story-model.ts';
import { call, type WireReply, type WireRequest } from './wire-server-reply.ts';

export type Step =
  | { tool: 'shell'; line: string }
  | { tool: 'files.write'; path: string; content: string; append?: boolean }
  | { tool: 'files.edit'; path: string; old: string; new: string }
  | { tool: 'files.move'; from: string; to: string }
  | { tool: 'files.remove'; path: string }
  | { tool: 'files.read' | 'files.list'; path: string; offset?: number; length?: number }
  | { tool: 'http.get'; url: string; headers?: Record<string, string> }
  | { tool: 'http.request'; method: string; url: string; body?: string }
  | { tool: `mcp.${string}` | `browser.${string}`; input: Record<string, Json> };

export type ScriptedTask = { id: string; steps: () => Step[]; front?: string; text?: string };

export type Scripted = {
  story: Story;
  /** Drops the tasks, and starts a worker the first time; resolves when every task is over or waits for a person. */
  run: (tasks: readonly ScriptedTask[], env: Record<string, string>) => Promise<void>;
};

const TOOLS = [
  'files.read',
  'files.list',
  'files.write',
  'files.edit',
  'files.move',
  'files.remove',
  'shell',
  'http.get',
  'http.request',
];

function toCall(step: Step): WireReply {
  const { tool, ...input } = step;
  return call(tool.replaceAll('.', '_'), 'input' in step ? step.input : input);
}

export async function openScripted({
  tools: more = [],
  ...options
}: Pick<StoryOptions, 'policy' | 'config'> & { tools?: readonly string[] } = {}): Promise<Scripted> {
  const steps = new Map<string, () => Step[]>();
  const story = await openStory({
    ...options,
    model: inParts({
      planner: ({ text }) =>
        plan([goal('do', `carry out ${/case (\w+)\./.exec(text)?.[1]}!`, [...TOOLS, ...more])], ['file: private.txt']),
      executor: (asked: WireRequest): WireReply | Promise<WireReply> => {
        const given = steps.get(/carry out (\w+)!/.exec(asked.text)?.[1] ?? '')?.() ?? [];
        return acting(...given.map(toCall))(asked);
      },
      critic: () => call('submit_verdict', { criteria: [], verdict: 'impossible', reason: 'no' }),
    }),
  });
  let worker: ChildProcess | undefined;
  return { story, run };

  async function run(tasks: readonly ScriptedTask[], env: Record<string, string>): Promise<void> {
    for (const { id, front = '', text = '', ...task } of tasks) {
      steps.set(id, task.steps);
      story.drop(`${id}.md`, `---\nid: ${id}\nbudget: { replans: 0 }\n${front}---\nThis is case ${id}. ${text}\n`);
    }
    worker ??= story.start(['worker'], env);
    for (const { id } of tasks) await story.until(`the end of ${id}`, () => settled(id));
    if (worker.exitCode !== null) throw new Error(`the worker has ended: ${story.told.join('\n')}`);
  }

  async function settled(id: string): Promise<true | undefined> {
    const isOver = (await story.eventsOf('run.ended', id)).length > 0;
    return isOver || (await story.waiting()).some(({ run: asking }) => asking.startsWith(`${id}.`)) ? true : undefined;
  }
}
