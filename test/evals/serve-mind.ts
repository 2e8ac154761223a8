/** A mind behind a real HTTP server, which reports exact counts of tokens as a provider does. */
import type { Json } from '../../src/core/schema/json.ts';
import { partOf } from '../support/story-model.ts';
import { openWireServer } from '../support/wire-server.ts';
import type { WireReply, WireRequest } from '../support/wire-server-reply.ts';
import type { Tokens } from './count-tokens.ts';
import type { EvalTask } from './eval-task.ts';
import type { Mind } from './good-mind.ts';

/** Since the task was set: prompt tokens, those of them with which an earlier prompt had begun, too, and the prompts. */
export type Prompts = { tokens: number; seen: number; asked: { role: string; tokens: number; text: string }[] };
export const noPrompts = (): Prompts => ({ tokens: 0, seen: 0, asked: [] });

export type ServedMind = {
  mind: Mind;
  /** What the mind works on now. */
  task: EvalTask | null;
  /** Settings of a home whose model this is. */
  config: { [key: string]: Json };
  prompts: Prompts;
  /** Base of the chat-completions format. */
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function serveMind(mind: Mind, tokens: Tokens): Promise<ServedMind> {
  const takeSeen = seenBefore();
  const server = await openWireServer((request) => {
    if (served.task === null) throw new Error('a request came before the first task');
    const reply = served.mind.answer(request, served.task);
    const count = tokens.inRequest(request);
    served.prompts.tokens += count;
    served.prompts.seen += count * takeSeen(request);
    const text = `${request.text}\n\nTools:\n${JSON.stringify(request.body['tools'] ?? [], null, 1)}`;
    served.prompts.asked.push({ role: partOf(request), tokens: count, text });
    return withUsage(reply, count, tokens.inReply(reply));
  });
  const settings = { 'custom:evals': { base_url: `${server.url}/v1` } };
  const served: ServedMind = {
    mind,
    task: null,
    prompts: noPrompts(),
    config: { models: { use: 'custom:evals', ask_again_seconds: 0.1, settings } },
    url: `${server.url}/v1`,
    [Symbol.asyncDispose]: () => server.close(),
  };
  return served;
}

const withUsage = (reply: WireReply, input: number, output: number): WireReply =>
  reply.do === 'answer' ? { ...reply, usage: { in: input, out: output } } : reply;

const MOST_EARLIER = 60;

/** The share of a prompt with which one of the prompts before has begun: what a cache could serve. Tools come first. */
function seenBefore(): (request: WireRequest) => number {
  const earlier: string[] = [];
  return ({ body }) => {
    const text = JSON.stringify([body['tools'], body['messages']]);
    const share = Math.max(0, ...earlier.map((each) => commonStart(each, text))) / text.length;
    earlier.push(text);
    if (earlier.length > MOST_EARLIER) earlier.shift();
    return share;
  };
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
