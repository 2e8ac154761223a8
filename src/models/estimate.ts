/** The most a call may cost, cheaply: it is reserved before the call and given back after it. */
import type { ModelRequest } from '../schema/ports.ts';
import type { Usage } from '../schema/effect.ts';
import { costOf } from './prices.ts';
import type { Called } from './settings.ts';

/** JSON in the vocabularies that cut it finest takes 0.56 tokens a byte, prose 0.34. */
const TOKENS_A_BYTE = 0.6;
/** Long runs without a blank, such as base64, take nearly one. */
const RUN = /[A-Za-z0-9+/=_-]{60,}/g;
/** What providers put around a message and a tool. */
const AROUND = 24;

export function estimateOf(request: ModelRequest, called: Pick<Called, 'maxTokens' | 'price'>): Usage {
  const tokensIn = promptTokens(request);
  const tokensOut = request.maxTokens ?? called.maxTokens;
  const usd = called.price === null ? {} : { usd: costOf({ in: tokensIn, out: tokensOut, cached: 0 }, called.price) };
  return { tokens_in: tokensIn, tokens_out: tokensOut, ...usd };
}

export function promptTokens({ system, messages, tools }: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): number {
  const texts = [system, ...messages.map((message) => message.text), ...tools.map((tool) => JSON.stringify(tool))];
  const tokens = texts.reduce((sum, text) => sum + AROUND + tokensIn(text), 0);
  return Math.ceil(tokens);
}

function tokensIn(text: string): number {
  const inRuns = (text.match(RUN) ?? []).reduce((sum, run) => sum + run.length, 0);
  return (Buffer.byteLength(text) - inRuns) * TOKENS_A_BYTE + inRuns;
}
