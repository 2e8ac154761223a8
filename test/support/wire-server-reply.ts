/** What the wire server is asked and what a test may make it do, whatever the format. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '../../src/core/schema/json.ts';

export type WireFormat = 'openai' | 'anthropic';

export type WireRequest = {
  /** Counts from 1. */
  number: number;
  format: WireFormat;
  path: string;
  headers: IncomingHttpHeaders;
  body: { [key: string]: Json };
  model: string;
  stream: boolean;
  /** Names of the tools on offer, as they were sent. */
  tools: string[];
  /** All messages, system included, in one text. */
  text: string;
};

/** `input` as a string is sent as it is, broken or not. */
export type WireCall = { name: string; input: Json };
type About = {
  usage?: { in: number; out: number; cached?: number };
  finish?: 'stop' | 'length' | 'refused' | 'none';
  model?: string;
};

export type WireReply =
  | ({ do: 'answer'; text: string; calls: WireCall[] } & About)
  | { do: 'fail'; status: number; type: string; code: string; message: string; headers: Record<string, string> }
  | { do: 'raw'; status: number; media: string; body: string; headers: Record<string, string> }
  /** Says `first`, then nothing more. */
  | { do: 'stall'; first: string }
  /** Says `first`, then drops the connection. */
  | { do: 'cut'; first: string };

export function say(text: string, about: About = {}): WireReply {
  return { do: 'answer', text, calls: [], ...about };
}

export function call(name: string, input: Json, about: About & { text?: string } = {}): WireReply {
  return { do: 'answer', text: '', calls: [{ name, input }], ...about };
}

export function calls(several: WireCall[], about: About = {}): WireReply {
  return { do: 'answer', text: '', calls: several, ...about };
}

const TYPES: Readonly<Record<number, readonly [type: string, code: string, message: string]>> = {
  400: ['invalid_request_error', 'invalid_request_error', 'this request cannot be served'],
  401: ['authentication_error', 'invalid_api_key', 'this key is not valid'],
  402: ['billing_error', 'billing_error', 'there is no credit left'],
  403: ['permission_error', 'permission_error', 'this key may not do that'],
  404: ['not_found_error', 'model_not_found', 'the model does not exist'],
  413: ['request_too_large', 'request_too_large', 'the request is too large'],
  429: ['rate_limit_error', 'rate_limit_exceeded', 'too many requests'],
  500: ['api_error', 'server_error', 'something went wrong here'],
  503: ['overloaded_error', 'server_error', 'come back later'],
  529: ['overloaded_error', 'overloaded', 'Overloaded'],
};

export function fail(
  status: number,
  about: { type?: string; code?: string; message?: string; headers?: Record<string, string> } = {},
): WireReply {
  const [type, code, message] = TYPES[status] ?? ['api_error', 'error', `status ${status}`];
  return { do: 'fail', status, type, code, message, headers: {}, ...about };
}

/** As each provider puts it. */
export function tooLong(format: WireFormat): WireReply {
  return format === 'openai'
    ? fail(400, { code: 'context_length_exceeded', message: 'This model takes 8192 tokens at most; you sent 9000.' })
    : fail(400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' });
}

export function raw(
  body: string,
  about: { status?: number; media?: string; headers?: Record<string, string> } = {},
): WireReply {
  return { do: 'raw', status: 200, media: 'application/json', body, headers: {}, ...about };
}

export function stall(first = ''): WireReply {
  return { do: 'stall', first };
}

export function cut(first = ''): WireReply {
  return { do: 'cut', first };
}

/** A text as it would be streamed: a few words at a time. */
export function piecesOf(text: string): string[] {
  return text.match(/.{1,12}/gs) ?? [];
}

export type Answer = Extract<WireReply, { do: 'answer' }>;

export function argumentsOf({ input }: WireCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
