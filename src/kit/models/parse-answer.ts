/** Owns: turning a model reply into the answer that was asked for; throws a `ModelError` if that is not possible. */
import { isJson } from '../../core/schema/json.ts';
import type { ModelAnswer } from '../../core/schema/ports.ts';
import type { Usage } from '../../core/schema/effect.ts';
import { ModelError, problem } from './model-errors.ts';
import { parseTextCall } from './text-call.ts';
import type { ToolNames } from './tool-names.ts';

export type RawReply = {
  text: string;
  calls: readonly { name: string; input: unknown; invalid: boolean }[];
  finish: string;
  usage: Usage;
  model: string;
};

/** `label` marks the block with the call of a model that writes its calls as text; null for one with tool calls. */
export function parseAnswer(
  given: RawReply,
  names: ToolNames,
  label: string | null = null,
  parallel = false,
): ModelAnswer {
  const text = withoutThoughts(given.text);
  const reply = label === null ? given : { ...given, calls: callsInText(text, label, given) };
  const { usage, model } = reply;
  if (reply.finish === 'content-filter') throw modelError('refused', text || 'the provider refused to answer', reply);
  if (reply.finish === 'interrupted') throw modelError('bad-answer', 'the answer broke off', reply);
  const [call = null, ...more] = names.sent.length === 0 ? [] : callsOf(reply, names, parallel);
  if (call === null && reply.finish === 'length')
    throw modelError('cut-off', `the answer exceeds the allowed length; it starts with: ${text.slice(0, 200)}`, reply);
  return { text, call, ...(more.length === 0 ? {} : { more }), usage, model };
}

type Call = NonNullable<ModelAnswer['call']>;

/** The calls in order, each once. Of an answer that was cut, those before the cut count. */
function callsOf(reply: RawReply, names: ToolNames, parallel: boolean): Call[] {
  const distinct = [...new Map(reply.calls.map((each) => [JSON.stringify([each.name, each.input]), each])).values()];
  if (distinct.length > 1 && !parallel)
    throw modelError(
      'bad-call',
      `${distinct.length} calls at once (${namesOf(distinct)}); exactly one is expected`,
      reply,
    );
  const calls = distinct.map((call) => callOf(call, reply, names));
  const cut = calls.indexOf(null);
  return calls.slice(0, cut === -1 ? calls.length : cut).flatMap((call) => call ?? []);
}

function callOf(call: RawReply['calls'][number], reply: RawReply, names: ToolNames): Call | null {
  const name = names.meant(call.name);
  if (name === null)
    throw modelError('bad-call', `there is no tool "${call.name.slice(0, 80)}"; there is ${toolsIn(names)}`, reply);
  const { input } = call;
  if (!call.invalid && isJson(input) && input !== null && typeof input === 'object' && !Array.isArray(input))
    return { name, input };
  if (reply.finish === 'length') return null;
  throw modelError('bad-call', `the input of ${name} is not a JSON object: ${quoteInput(input)}`, reply);
}

function callsInText(text: string, label: string, reply: RawReply): RawReply['calls'] {
  const call = parseTextCall(text, label);
  if (call === null || (reply.finish === 'length' && 'problem' in call)) return [];
  if ('problem' in call) throw modelError('bad-call', call.problem, reply);
  return [{ ...call, invalid: false }];
}

/** Removes the reasoning that some models put before their answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>.*?<\/think>\s*/s, '');
}

function modelError(
  kind: Parameters<typeof problem>[0],
  message: string,
  { usage, text, calls }: RawReply,
): ModelError {
  const made = calls.map(({ name, input }) => JSON.stringify({ name, input }));
  return new ModelError(problem(kind, message), {
    usage,
    reply: [text, ...made].filter((each) => each !== '').join('\n'),
  });
}

function namesOf(calls: RawReply['calls']): string {
  return calls.map((call) => call.name.slice(0, 80)).join(', ');
}

function toolsIn(names: ToolNames): string {
  return names.sent.map((tool) => tool.name).join(', ');
}

function quoteInput(input: unknown): string {
  return (typeof input === 'string' ? input : (JSON.stringify(input) ?? 'nothing')).slice(0, 200);
}
