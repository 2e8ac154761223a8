/**
 * Owns: the one call in a model's answer. Small models write a call out as text or its input as a string; what can only
 * mean one thing is taken, everything else is a problem that the model is told.
 */
import { isJson, type Json } from '../schema/json.ts';
import type { ModelAnswer, ModelRequest, ModelTool } from '../schema/ports.ts';
import { cut, visible } from './text.ts';

export type Called = { name: string; input: Json };
export type Problem = { problem: string };

const LONGEST_SHOWN = 4000;

export function callIn(answer: ModelAnswer, tools: readonly ModelTool[]): Called | Problem {
  const names = tools.map((tool) => tool.name);
  const call = answer.call ?? writtenOut(answer.text, names);
  if (call === null) return { problem: `call one of these tools: ${names.join(', ')}` };
  if (!names.includes(call.name))
    return { problem: `there is no tool "${call.name.slice(0, 80)}"; there is: ${names.join(', ')}` };
  const input = typeof call.input === 'string' ? (parsed(call.input) ?? call.input) : call.input;
  return { name: call.name, input };
}

/** The request again, with what was answered and what is wrong with it. Only the last such pair is kept. */
export function repairOf(request: ModelRequest, answer: ModelAnswer, problem: string): ModelRequest {
  const said = answer.call === null ? answer.text : JSON.stringify(answer.call);
  const [first] = request.messages;
  return {
    ...request,
    messages: [
      ...(first === undefined ? [] : [first]),
      { role: 'assistant', text: cut(said === '' ? '(nothing)' : said, LONGEST_SHOWN) },
      {
        role: 'user',
        text: `That answer cannot be used: ${cut(visible(problem), LONGEST_SHOWN)}\nAnswer again, whole, with one tool call.`,
      },
    ],
  };
}

/** A text that is nothing but a call, or nothing but the input of the only tool there is. */
function writtenOut(text: string, names: readonly string[]): Called | null {
  const bare = /^\s*```[a-z]*\n([\s\S]*)\n```\s*$/.exec(text)?.[1] ?? text;
  const value = parsed(bare.trim());
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const name = value['name'] ?? value['tool'];
  const input = value['arguments'] ?? value['input'] ?? value['parameters'];
  if (typeof name === 'string' && names.includes(name) && input !== undefined) return { name, input };
  const [only] = names;
  return names.length === 1 && only !== undefined ? { name: only, input: value } : null;
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}
