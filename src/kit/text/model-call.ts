/**
 * Owns: reading the one tool call in a model's answer. A call is what the provider reported as one; whatever the text of
 * the answer quotes is no call. Anything but one call is a problem that is sent back to the model.
 */
import { isJson, type Json } from '../../core/schema/json.ts';
import type { ModelAnswer, ModelRequest, ModelTool } from '../../core/schema/ports.ts';
import { truncateText } from './prompt-text.ts';
import { escapeInvisible } from '../../core/schema/one-line.ts';

type ModelCall = { name: string; input: Json };
export type Problem = { problem: string };

const MAX_SHOWN = 4000;

export function readCall(answer: ModelAnswer, tools: readonly ModelTool[]): ModelCall | Problem {
  const names = tools.map((tool) => tool.name);
  const { call } = answer;
  if (call === null) return { problem: `call one of these tools: ${names.join(', ')}` };
  if (!names.includes(call.name))
    return { problem: `there is no tool "${call.name.slice(0, 80)}"; there is: ${names.join(', ')}` };
  const input = typeof call.input === 'string' ? (parseJson(call.input) ?? call.input) : call.input;
  return { name: call.name, input };
}

/** The request again, with the last answer and what is wrong with it; earlier pairs are dropped. */
export function repairRequest(request: ModelRequest, answer: ModelAnswer, problem: string): ModelRequest {
  const reply = answer.call === null ? answer.text : JSON.stringify(answer.call);
  const [first] = request.messages;
  return {
    ...request,
    messages: [
      ...(first === undefined ? [] : [first]),
      { role: 'assistant', text: truncateText(reply === '' ? '(nothing)' : reply, MAX_SHOWN) },
      {
        role: 'user',
        text: `That answer cannot be used: ${truncateText(escapeInvisible(problem), MAX_SHOWN)}\nAnswer again, completely${request.tools.length > 0 ? ', with one tool call' : ''}.`,
      },
    ],
  };
}

function parseJson(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}
