/**
 * Owns: a question that a server asks during a call, as a question to a person, and the person's words as an answer to it.
 * The server is answered that nobody is there; once a person has answered, the call is made again and this answer is given.
 */
import { escapeInvisible, shorten } from '../../../core/guard/escape-invisible.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { WaitFor } from '../../../core/schema/wait.ts';
import type { Elicitation, ElicitationAnswer } from './client-session.ts';

type Question = Extract<WaitFor, { kind: 'question' }>;
type Field = { name: string; type: string; about: string; options: string[] | null; isRequired: boolean };

const MOST_MESSAGE = 4000;

export function toQuestion(tool: string, { message, schema }: Elicitation): Question {
  const fields = fieldsOf(schema);
  const [only] = fields;
  const words = shorten(escapeInvisible(message), MOST_MESSAGE);
  const lines = fields.length < 2 ? [] : ['Answer with one line for each:', ...fields.map(describeField)];
  const text = [`${tool} asks (these are the words of its server):`, words, ...lines].join('\n');
  const options = fields.length === 1 && only !== undefined ? optionsOf(only) : null;
  return { kind: 'question', text, repeat: true, ...(options === null ? {} : { options }) };
}

/** An answer that does not fit the fields declines; the server says what it makes of that. */
export function toElicitationAnswer({ schema }: Elicitation, words: string): ElicitationAnswer {
  const fields = fieldsOf(schema);
  const [only] = fields;
  if (only === undefined) return { action: /^\s*(?:no|decline)\b/i.test(words) ? 'decline' : 'accept', content: {} };
  const given = fields.length === 1 ? new Map([[only.name, words.trim()]]) : linesOf(words);
  const content: Record<string, Json> = {};
  for (const field of fields) {
    const value = toValue(field, given.get(field.name));
    if (value !== undefined) content[field.name] = value;
    else if (field.isRequired) return { action: 'decline' };
  }
  return { action: 'accept', content };
}

function fieldsOf(schema: Json): Field[] {
  if (!isMap(schema) || !isMap(schema['properties'] ?? null)) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties'] as Record<string, Json>).map(([name, field]) => {
    const { type, description, title, enum: options = null } = isMap(field) ? field : {};
    const about = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
    return {
      name,
      type: typeof type === 'string' ? type : 'string',
      about: shorten(escapeInvisible(about), 300),
      options: Array.isArray(options) ? options.filter((each) => typeof each === 'string').slice(0, 20) : null,
      isRequired: required.includes(name),
    };
  });
}

function describeField({ name, type, about, options, isRequired }: Field): string {
  const kind = options === null ? type : options.join(' | ');
  return `${escapeInvisible(name)}: (${kind}${isRequired ? '' : ', may be left out'}) ${about}`.trimEnd();
}

const optionsOf = ({ type, options }: Field): string[] | null => (type === 'boolean' ? ['yes', 'no'] : options);

/** `name: value`, one a line. */
function linesOf(words: string): Map<string, string> {
  const pairs = words.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*([^:=]+?)\s*[:=]\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return new Map(pairs);
}

function toValue({ type, options }: Field, text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  if (options !== null) return options.find((each) => each.toLowerCase() === text.toLowerCase());
  if (type === 'boolean')
    return /^(?:yes|true|y)$/i.test(text) ? true : /^(?:no|false|n)$/i.test(text) ? false : undefined;
  if (type !== 'number' && type !== 'integer') return text;
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? undefined : number;
}

const isMap = (value: Json): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
