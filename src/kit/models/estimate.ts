/** Owns: a cheap upper bound of what a call may cost; it is reserved before the call and released after it. */
import type { ModelRequest } from '../../core/schema/ports.ts';
import type { Usage } from '../../core/schema/effect.ts';
import { pictureTokens } from './picture-support.ts';
import { costOf } from './prices.ts';
import type { Called } from '../../core/schema/model-provider.ts';

/** Tokens per byte in the least efficient vocabularies: 0.56 for JSON, 0.34 for prose. */
const TOKENS_A_BYTE = 0.6;
/** Long texts without blanks, such as base64, take nearly one token per byte. */
const RUN = /[A-Za-z0-9+/=_-]{60,}/g;
/** Tokens that providers add for each message and tool. */
const AROUND = 24;

export function estimateOf(request: ModelRequest, called: Pick<Called, 'maxTokens' | 'price' | 'model'>): Usage {
  const pictures = request.messages.flatMap((message) => message.pictures ?? []);
  const tokensIn = promptTokens(request) + pictures.reduce((sum, each) => sum + pictureTokens(each, called.model), 0);
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
