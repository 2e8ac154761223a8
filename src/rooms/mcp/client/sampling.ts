/**
 * Owns: a request of a server to ask the model, as a call of `model.complete`, and its outcome as an answer to the server.
 *
 * P1 The model sees what the server sent and nothing else: no tools, no memory, no task.
 * P2 A server asks only where its entry has a budget, at most so often and for so many tokens of answers a call.
 */
import type { Json } from '../../../core/schema/json.ts';
import type { SamplingBudget } from '../../../core/schema/mcp.ts';
import type { Outcome } from '../../../core/schema/tool.ts';

/** What a server wants to ask the model. */
export type Sampling = { system: string; messages: readonly SamplingMessage[]; maxTokens: number };
export type SamplingMessage = { role: 'user' | 'assistant'; text: string };
export type SamplingAnswer = { model: string; text: string };

/** What one call of a tool may still ask. */
export type SamplingAccount = { calls: number; tokens: number };

const MOST_CHARS = 200_000;

export const openAccount = ({ calls, tokens }: SamplingBudget): SamplingAccount => ({ calls, tokens });

/** Takes one request out of the account; a problem in words when it is used up or the request is not usable. */
export function reserveSampling(account: SamplingAccount, { messages, system, maxTokens }: Sampling): number | string {
  if (account.calls < 1 || account.tokens < 1) return 'the budget for asking the model in this call is used up';
  const chars = messages.reduce((sum, { text }) => sum + text.length, system.length);
  if (messages.length === 0 || chars > MOST_CHARS)
    return `a request has between 1 and ${MOST_CHARS} characters of text`;
  const most = Math.max(1, Math.min(account.tokens, Math.floor(maxTokens)));
  account.calls -= 1;
  account.tokens -= most;
  return most;
}

export function toModelInput(server: string, { system, messages }: Sampling, maxTokens: number): Json {
  const words = `You answer a program, the server ${server}. You have no tools, and you know only what it sends you.`;
  return {
    role: 'executor',
    system: system === '' ? words : `${words}\n\nThe program says:\n${system}`,
    messages: messages.map(({ role, text }) => ({ role, text })),
    max_tokens: maxTokens,
  };
}

/** Throws what the server is answered when the model was not asked, or did not answer. */
export function toSamplingAnswer(outcome: Outcome): SamplingAnswer {
  if (outcome.status !== 'ok') throw new Error('the model could not be asked');
  const { text, model } = (outcome.output ?? {}) as { text?: Json; model?: Json };
  return { text: typeof text === 'string' ? text : '', model: typeof model === 'string' ? model : 'unknown' };
}
