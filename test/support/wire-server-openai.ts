/** The chat-completions format: a whole answer, a stream, an error. */
import type { Json } from '../../src/core/schema/json.ts';
import { type Answer, argumentsOf, piecesOf, type WireReply, type WireRequest } from './wire-server-reply.ts';

const CREATED = 1_700_000_000;

export function wholeAnswer(request: WireRequest, answer: Answer): Json {
  const refused = answer.finish === 'refused';
  return {
    ...head(request, answer, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: refused || (answer.text === '' && answer.calls.length > 0) ? null : answer.text,
          ...(refused ? { refusal: answer.text } : {}),
          ...(answer.calls.length === 0 ? {} : { tool_calls: toolCalls(answer) }),
        },
        finish_reason: finishOf(answer),
      },
    ],
    usage: usageOf(answer),
  };
}

export function streamedAnswer(request: WireRequest, answer: Answer): string[] {
  const chunk = (delta: Json, finish: Json = null): string =>
    event({ ...head(request, answer, 'chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finish }] });
  const field = answer.finish === 'refused' ? 'refusal' : 'content';
  const end = answer.finish === 'none' ? [] : [chunk({}, finishOf(answer))];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(answer.text).map((piece) => chunk({ [field]: piece })),
    ...callDeltas(answer).map((delta) => chunk({ tool_calls: [delta] })),
    ...end,
    event({ ...head(request, answer, 'chat.completion.chunk'), choices: [], usage: usageOf(answer) }),
    'data: [DONE]\n\n',
  ];
}

export function errorBody({ type, code, message }: Extract<WireReply, { do: 'fail' }>): Json {
  return { error: { message, type, param: null, code } };
}

/** The name first, then the arguments in pieces, as real servers do. */
function callDeltas(answer: Answer): Json[] {
  return answer.calls.flatMap((each, index) => [
    { index, id: `call_${index}`, type: 'function', function: { name: each.name, arguments: '' } },
    ...piecesOf(argumentsOf(each)).map((piece) => ({ index, function: { arguments: piece } })),
  ]);
}

function toolCalls(answer: Answer): Json {
  return answer.calls.map((each, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name: each.name, arguments: argumentsOf(each) },
  }));
}

function head(request: WireRequest, answer: Answer, object: string): { [key: string]: Json } {
  return { id: `chatcmpl-${request.number}`, object, created: CREATED, model: answer.model ?? request.model };
}

function finishOf({ finish, calls }: Answer): string | null {
  if (finish === 'none') return null;
  if (finish === 'length') return 'length';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage = { in: 10, out: 5 } }: Answer): Json {
  return {
    prompt_tokens: usage.in,
    completion_tokens: usage.out,
    total_tokens: usage.in + usage.out,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
  };
}

function event(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
