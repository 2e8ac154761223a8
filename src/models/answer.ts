/** What a model said, as the one answer that was asked for; or why it is none. */
import { isJson } from '../schema/json.ts';
import type { ModelAnswer } from '../schema/ports.ts';
import type { Usage } from '../schema/effect.ts';
import { ModelError, problem } from './errors.ts';
import { callFrom } from './text-call.ts';
import type { ToolNames } from './tool-names.ts';

export type Said = {
  text: string;
  calls: readonly { name: string; input: unknown; invalid: boolean }[];
  finish: string;
  usage: Usage;
  model: string;
};

export function answerFrom(said: Said, names: ToolNames): ModelAnswer {
  const text = withoutThoughts(said.text);
  const { usage, model } = said;
  if (said.finish === 'content-filter') throw failed('refused', text || 'the provider refused to answer', said);
  if (said.finish === 'interrupted') throw failed('bad-answer', 'the answer broke off', said);
  const call = names.sent.length === 0 ? null : (callOf(said, names) ?? callInText(text, names));
  if (call === null && said.finish === 'length')
    throw failed('cut-off', `the answer is longer than it may be; it starts with: ${text.slice(0, 200)}`, said);
  return { text, call, usage, model };
}

function callOf(said: Said, names: ToolNames): ModelAnswer['call'] {
  const distinct = [...new Map(said.calls.map((each) => [JSON.stringify([each.name, each.input]), each])).values()];
  const [call] = distinct;
  if (call === undefined) return null;
  if (distinct.length > 1)
    throw failed('bad-call', `${distinct.length} calls at once (${namesOf(distinct)}); one is wanted`, said);
  const name = names.meant(call.name);
  if (name === null)
    throw failed('bad-call', `there is no tool "${call.name.slice(0, 80)}"; there is ${toolsIn(names)}`, said);
  const { input } = call;
  if (!call.invalid && isJson(input) && input !== null && typeof input === 'object' && !Array.isArray(input))
    return { name, input };
  if (said.finish === 'length') return null;
  throw failed('bad-call', `the input of ${name} is not a JSON object: ${shown(input)}`, said);
}

function callInText(text: string, names: ToolNames): ModelAnswer['call'] {
  const written = names.sent.flatMap((tool) => [{ name: tool.name }, { name: tool.as }]);
  const call = callFrom(text, written);
  const name = call === null ? null : names.meant(call.name);
  return call === null || name === null ? null : { name, input: call.input };
}

/** Some models think aloud before they answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>.*?<\/think>\s*/s, '');
}

function failed(kind: Parameters<typeof problem>[0], message: string, { usage, text, calls }: Said): ModelError {
  const made = calls.map(({ name, input }) => JSON.stringify({ name, input }));
  return new ModelError(problem(kind, message), {
    usage,
    said: [text, ...made].filter((each) => each !== '').join('\n'),
  });
}

function namesOf(calls: Said['calls']): string {
  return calls.map((call) => call.name.slice(0, 80)).join(', ');
}

function toolsIn(names: ToolNames): string {
  return names.sent.map((tool) => tool.name).join(', ');
}

function shown(input: unknown): string {
  return (typeof input === 'string' ? input : (JSON.stringify(input) ?? 'nothing')).slice(0, 200);
}
