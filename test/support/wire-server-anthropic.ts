/** The messages format: a whole answer, a stream, an error. */
import type { Json } from '../../src/core/schema/json.ts';
import { type Answer, argumentsOf, piecesOf, type WireReply, type WireRequest } from './wire-server-reply.ts';

export function wholeAnswer(request: WireRequest, answer: Answer): Json {
  return {
    ...head(request, answer),
    content: [
      ...(answer.text === '' ? [] : [{ type: 'text', text: answer.text }]),
      ...answer.calls.map((each, index) => ({ type: 'tool_use', id: `toolu_${index}`, ...each })),
    ],
    stop_reason: stopOf(answer),
    usage: { ...inputOf(answer), output_tokens: answer.usage?.out ?? 5 },
  };
}

export function streamedAnswer(request: WireRequest, answer: Answer): string[] {
  const blocks = [...(answer.text === '' ? [] : [textBlock(answer.text)]), ...answer.calls.map(callBlock)];
  const start = {
    ...head(request, answer),
    content: [],
    stop_reason: null,
    usage: { ...inputOf(answer), output_tokens: 1 },
  };
  const end = [
    event('message_delta', {
      delta: { stop_reason: stopOf(answer), stop_sequence: null },
      usage: { output_tokens: answer.usage?.out ?? 5 },
    }),
    event('message_stop', {}),
  ];
  return [
    event('message_start', { message: start }),
    event('ping', {}),
    ...blocks.flatMap((block, index) => block(index)),
    ...(answer.finish === 'none' ? [] : end),
  ];
}

export function errorBody({ type, message }: Extract<WireReply, { do: 'fail' }>): Json {
  return { type: 'error', error: { type, message }, request_id: 'req_1' };
}

type Block = (index: number) => string[];

function textBlock(text: string): Block {
  return (index) =>
    block(
      index,
      { type: 'text', text: '' },
      piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece })),
    );
}

function callBlock(each: Answer['calls'][number], at: number): Block {
  const deltas = piecesOf(argumentsOf(each)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  return (index) => block(index, { type: 'tool_use', id: `toolu_${at}`, name: each.name, input: {} }, deltas);
}

function block(index: number, start: Json, deltas: Json[]): string[] {
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

function head(request: WireRequest, answer: Answer): { [key: string]: Json } {
  const model = answer.model ?? request.model;
  return { id: `msg_${request.number}`, type: 'message', role: 'assistant', model, stop_sequence: null };
}

function stopOf({ finish, calls }: Answer): string {
  if (finish === 'length') return 'max_tokens';
  if (finish === 'refused') return 'refusal';
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

/** Anthropic counts what was cached apart from the rest. */
function inputOf({ usage = { in: 10, out: 5 } }: Answer): { [key: string]: Json } {
  const cached = usage.cached ?? 0;
  return { input_tokens: usage.in - cached, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 };
}

function event(type: string, data: { [key: string]: Json }): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
