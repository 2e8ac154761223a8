/** Owns: what a model is asked for an `ai_template`, and reading its answer as text or as JSON that fits the schema. */
import { isJson, type Json } from '../../core/schema/json.ts';
import { findMismatch, type Schema } from '../../core/schema/json-schema.ts';
import type { ModelAnswer, ModelRequest, ModelTool } from '../../core/schema/ports.ts';
import type { Problem } from '../../kit/text/model-call.ts';
import { DATA_RULE } from '../../kit/text/graph-prompt.ts';

export type TemplateForm = { format: 'text' | 'json'; schema: Schema | null };

const ANSWER = 'answer';

export function templateRequest(prompt: string, form: TemplateForm, maxTokens: number | null): ModelRequest {
  const tools = form.schema === null ? [] : [answerTool(form.schema)];
  const system = ['You carry out one step of an automation.', DATA_RULE, howToAnswer(form)].join('\n');
  return { role: 'executor', system, messages: [{ role: 'user', text: prompt }], tools, maxTokens };
}

function howToAnswer({ format, schema }: TemplateForm): string {
  if (schema !== null) return `Answer by one call of ${ANSWER} with the result.`;
  if (format === 'json') return 'Answer with one JSON value and nothing else: no explanation, no code fence.';
  return 'Answer with the result and nothing else.';
}

/** The input of a tool is an object; a schema of anything else is that of its field `value`. */
function answerTool(schema: Schema): ModelTool {
  const input = isOfObjects(schema)
    ? schema
    : { type: 'object', properties: { value: schema }, required: ['value'], additionalProperties: false };
  return { name: ANSWER, about: 'Gives the result of this step.', input };
}

const isOfObjects = ({ type }: Schema): boolean => type === 'object';

export function readTemplateAnswer(answer: ModelAnswer, form: TemplateForm): { output: Json } | Problem {
  const { format, schema } = form;
  if (schema === null && format === 'text') {
    const text = answer.text.trim();
    return text === '' ? { problem: 'it is empty' } : { output: text };
  }
  const found = jsonIn(answer, schema);
  if (found === undefined) return { problem: 'it is not one JSON value' };
  const mismatch = schema === null ? null : findMismatch(schema, found);
  return mismatch === null ? { output: found } : { problem: `it does not fit the schema: ${mismatch}` };
}

/** The value of the call, or of an answer that is JSON as a whole; a fence around it is taken off. */
function jsonIn({ call, text }: ModelAnswer, schema: Schema | null): Json | undefined {
  if (call === null) return parseJson(/^```(?:json)?\n([\s\S]*)\n```$/.exec(text.trim())?.[1] ?? text);
  const input = typeof call.input === 'string' ? (parseJson(call.input) ?? call.input) : call.input;
  if (schema === null || isOfObjects(schema)) return input;
  return input !== null && typeof input === 'object' && !Array.isArray(input) ? input['value'] : undefined;
}

function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
