/** A mind behind a real HTTP server, which reports exact counts of tokens as a provider does. */
import type { Json } from '../../src/core/schema/json.ts';
import { openWireServer } from '../support/wire-server.ts';
import type { WireReply } from '../support/wire-server-reply.ts';
import type { Tokens } from './count-tokens.ts';
import type { EvalTask } from './eval-task.ts';
import type { Mind } from './good-mind.ts';

export type ServedMind = {
  mind: Mind;
  /** What the mind works on now. */
  task: EvalTask | null;
  /** Settings of a home whose model this is. */
  config: { [key: string]: Json };
  /** Base of the chat-completions format. */
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function serveMind(mind: Mind, tokens: Tokens): Promise<ServedMind> {
  const server = await openWireServer((request) => {
    if (served.task === null) throw new Error('a request came before the first task');
    const reply = served.mind.answer(request, served.task);
    return withUsage(reply, tokens.inRequest(request), tokens.inReply(reply));
  });
  const settings = { 'custom:evals': { base_url: `${server.url}/v1` } };
  const served: ServedMind = {
    mind,
    task: null,
    config: { models: { use: 'custom:evals', ask_again_seconds: 0.1, settings } },
    url: `${server.url}/v1`,
    [Symbol.asyncDispose]: () => server.close(),
  };
  return served;
}

const withUsage = (reply: WireReply, input: number, output: number): WireReply =>
  reply.do === 'answer' ? { ...reply, usage: { in: input, out: output } } : reply;
