/**
 * Owns: tool calls of models that have none of their own (`tool_calls: text` in config.json): what such a model is asked
 * to write, and reading it.
 *
 * T1 A call is one fenced block with the label of this request, and the end of the answer. What a model says about calls
 *    anywhere else is text.
 * T2 The label depends on the whole conversation, so a page, a file or a tool output that the model may quote cannot
 *    contain a block with it.
 */
import { hash } from 'node:crypto';
import { isJson, type Json } from '../../core/schema/json.ts';
import type { ModelAnswer, ModelRequest } from '../../core/schema/ports.ts';
import { pictureHashes } from './picture-support.ts';

type Call = NonNullable<ModelAnswer['call']>;

const LABEL_LENGTH = 10;

/** The same request always has the same label, so that recorded traffic can be replayed. */
export function callLabel({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): string {
  const turns = messages.map(({ role, text, pictures = [] }) => [role, text, ...pictureHashes(pictures)]);
  return `call-${hash('sha256', JSON.stringify([system, turns])).slice(0, LABEL_LENGTH)}`;
}

/** The end of the system prompt: which tools there are, and how a call is written. */
export function textCallPrompt(request: Pick<ModelRequest, 'tools' | 'mayAnswer'>, label: string): string {
  const tools = request.tools.map(({ name, about, input }) => JSON.stringify({ name, about, input }));
  const isFree = request.mayAnswer === true;
  return [
    ...(isFree ? ['Answer in plain text, unless you need a tool first.'] : []),
    'You act by calling exactly one of these tools (name, what it does, JSON schema of its input):',
    ...tools,
    `${isFree ? 'To call one, end' : 'End'} your answer with exactly one block of this form, and write nothing after it:`,
    `\`\`\`${label}`,
    '{"name": "NAME OF THE TOOL", "input": {}}',
    '```',
  ].join('\n');
}

/** The call at the end of an answer; null if the answer has no block with this label. */
export function parseTextCall(text: string, label: string): Call | { problem: string } | null {
  const open = `\`\`\`${label}\n`;
  const answer = `\n${text.replaceAll('\r\n', '\n').trimEnd()}`;
  const start = answer.indexOf(`\n${open}`);
  if (start < 0) return null;
  if (answer.lastIndexOf(`\n${open}`) !== start) return { problem: 'several calls; exactly one is expected' };
  const block = answer.slice(start + 1 + open.length);
  if (!block.endsWith('\n```')) return { problem: `the block ${label} must be the end of the answer` };
  const value = parseJson(block.slice(0, -'\n```'.length));
  if (value === null || typeof value !== 'object' || Array.isArray(value) || typeof value['name'] !== 'string')
    return { problem: `the block ${label} must contain {"name": …, "input": {…}} and nothing else` };
  return { name: value['name'], input: value['input'] ?? {} };
}

function parseJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}
