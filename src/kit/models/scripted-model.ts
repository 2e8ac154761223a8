/**
 * Owns: the model that answers from a script, for demos and tests. It needs no network and no key.
 *
 * The same script and the same requests in the same order give the same answers. A new process starts the script from the
 * beginning; lines with `has` that may be used `always` do not depend on what came before.
 */
import { lstatSync, readFileSync } from 'node:fs';
import type { z } from 'zod';
import { describeErrno } from '../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../core/schema/ports.ts';
import { ModelError, problem } from './model-errors.ts';
import { Script, type ScriptLine } from './script-file.ts';

/** `turn` counts from 0. The model throws what this throws. */
export type Answering = (request: ModelRequest, turn: number) => Partial<ModelAnswer> | Promise<Partial<ModelAnswer>>;

const LARGEST_SCRIPT = 4 * 1024 * 1024;

export function scriptedModel(script: readonly z.input<typeof ScriptLine>[] | Answering, id = 'scripted:list'): Model {
  const answering = typeof script === 'function' ? script : scriptPlayer(Script.parse({ answers: script }).answers);
  let turn = 0;
  const complete: Model['complete'] = async (request, signal) => {
    if (signal.aborted) throw new ModelError(problem('stopped', `${id}: it was stopped`));
    const answer = await answering(request, turn++);
    return { text: '', call: null, usage: { tokens_in: 0, tokens_out: 0, usd: 0 }, model: id, ...answer };
  };
  return {
    id,
    complete,
    stream: async (request, signal, onText) => {
      const answer = await complete(request, signal);
      for (const word of answer.text.match(/\S+\s*/g) ?? []) onText(word);
      return answer;
    },
  };
}

/** The file is read once. */
export function scriptedFromFile(file: string, id: string): Model {
  return scriptedModel(scriptPlayer(scriptIn(file).answers), id);
}

function scriptPlayer(lines: Script['answers']): Answering {
  const used = lines.map(() => 0);
  return (request) => {
    const index = lines.findIndex(
      (line, at) => isDue(line, request) && (line.times === 'always' || (used[at] ?? 0) < line.times),
    );
    const line = lines[index];
    if (line === undefined)
      throw new ModelError(problem('no-recording', `the script has no answer left for the ${request.role}`));
    used[index] = (used[index] ?? 0) + 1;
    return answerOf(line);
  };
}

function isDue({ role, has }: Script['answers'][number], request: ModelRequest): boolean {
  if (role !== undefined && role !== request.role) return false;
  const whole = [request.system, ...request.messages.map((message) => message.text)].join('\n');
  return [has ?? []].flat().every((text) => whole.includes(text));
}

function answerOf(line: Script['answers'][number]): Partial<ModelAnswer> {
  if (line.fails !== undefined)
    throw new ModelError(problem(line.fails, line.text || `the script fails with ${line.fails}`));
  const { text, call = null, more, usage } = line;
  return {
    text,
    call,
    ...(more === undefined ? {} : { more }),
    ...(usage === undefined ? {} : { usage: { ...usage, usd: 0 } }),
  };
}

function scriptIn(file: string): Script {
  const fix = 'Write {"answers": [{"text": "…"} or {"call": {"name": "…", "input": {}}}]}.';
  const parsed = Script.safeParse(jsonIn(file, fix));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || '(top)'}: ${issue.message}`);
  throw new OkaError('invalid-file', `${file} is not a script:\n${issues.join('\n')}`, { fix });
}

function jsonIn(file: string, fix: string): unknown {
  try {
    const found = lstatSync(file);
    if (!found.isFile()) throw new OkaError('unsafe-file', `${file} is not a regular file`, { fix });
    if (found.size > LARGEST_SCRIPT) throw new OkaError('invalid-file', `${file} is too large for a script`, { fix });
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new OkaError('invalid-file', `${file}: ${messageOf(error)}`, { fix, cause: error });
    throw describeErrno(error, file);
  }
}
