/** Counts the tokens of a request and of an answer exactly, with the vocabulary o200k. */
import { createTokenCounter } from '../../src/kit/text/tokens.ts';
import type { WireReply, WireRequest } from '../support/wire-server-reply.ts';

export type Tokens = { inRequest(request: WireRequest): number; inReply(reply: WireReply): number };

export async function countTokens(): Promise<Tokens> {
  const counter = await createTokenCounter('openai');
  return {
    inRequest: ({ text, body }) => counter.count(text) + counter.count(JSON.stringify(body['tools'] ?? [])),
    inReply: (reply) =>
      reply.do === 'answer' ? counter.count(reply.text) + counter.count(JSON.stringify(reply.calls)) : 0,
  };
}
