/**
 * Owns: errors of models, in one vocabulary, each with a fix.
 *
 * 1. `errorOf` is pure, accepts anything and never throws.
 * 2. `temporary` means that the same request may succeed later.
 */
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Usage } from '../../core/schema/effect.ts';
import { causesOf, type Facts, kindOf, type ModelErrorKind } from './error-kind.ts';

export type ModelProblem = {
  kind: ModelErrorKind;
  message: string;
  fix: string;
  temporary: boolean;
  /** How long the provider asks to wait before the next request. */
  retryAfterMs?: number;
};

/** Thrown by every model. `usage` is what was spent nevertheless, `reply` what the model replied instead of an answer. */
export class ModelError extends OkaError {
  readonly problem: ModelProblem;
  readonly usage: Usage | undefined;
  readonly reply: string;

  constructor(problem: ModelProblem, about: { usage?: Usage | undefined; reply?: string; cause?: unknown } = {}) {
    super(`model-${problem.kind}`, problem.message, { fix: problem.fix, cause: about.cause });
    this.problem = problem;
    this.usage = about.usage;
    this.reply = about.reply ?? '';
  }
}

export function errorOf(error: unknown): ModelProblem {
  const chain = [...causesOf(error)];
  const own = chain.find((each) => each instanceof OkaError);
  if (own instanceof ModelError) return own.problem;
  if (own instanceof OkaError)
    return { ...problem('failed', own.message), ...(own.fix === undefined ? {} : { fix: own.fix }) };
  const answer = chain.find((each) => typeof each['statusCode'] === 'number') ?? {};
  const found = problem(kindOf(chain, answer), messageFrom(error, answer));
  const wait = retryAfterOf(answer);
  if (wait === undefined) return found;
  return {
    ...found,
    message: `${found.message}; retry in ${Math.ceil(wait / 1000)} s`,
    retryAfterMs: wait,
  };
}

export function problem(kind: ModelErrorKind, message: string): ModelProblem {
  const [fix, temporary] = ADVICE[kind];
  return { kind, message, fix, temporary };
}

const ADVICE: Readonly<Record<ModelErrorKind, readonly [fix: string, temporary: boolean]>> = {
  'no-key': ['Check the key of this provider: oka secrets set, or its environment name.', false],
  unknown: ['Check the name in OKA_MODEL and the base URL; with ollama run: ollama pull <model>.', false],
  unpaid: ['The account has no credit left: add some at the provider, or set another model.', false],
  'rate-limited': ['Wait as long as the provider asks; lower the rate in config.json, or set another model.', true],
  'context-too-long': ['Shorten the task, lower max_tokens, or set a model with a larger context.', false],
  down: ['Check that the server is running and its address is right; oka retries later.', true],
  stalled: ['The model did not respond in time: raise models.timeout_seconds, or set a faster model.', true],
  'bad-answer': ['The response broke off or does not follow the protocol: check the base URL.', true],
  'bad-call': ['Answer with exactly one call of one of the tools, its input as a JSON object.', false],
  'cut-off': ['Raise max_tokens of this model, or ask for less.', false],
  refused: ['The provider refused this content: reword the task, or set another model.', false],
  'bad-request': ['Check the settings of this model; the message of the provider says what it did not accept.', false],
  'no-recording': ['Record it with OKA_CASSETTE=record, or run without OKA_CASSETTE.', false],
  stopped: ['Nothing to do: it was asked to stop.', false],
  failed: ['Read the message; oka doctor checks the settings.', false],
};

const QUOTED = 500;

function messageFrom(error: unknown, answer: Facts): string {
  const status = answer['statusCode'];
  const body = typeof answer['responseBody'] === 'string' ? answer['responseBody'].trim() : '';
  const text = (rephrase(messageOf(error).trim(), body) || body || 'no reason was given').slice(0, QUOTED);
  const failed = typeof status === 'number' && (status < 200 || status >= 300);
  return failed ? `the model's server answered ${status}: ${text}` : text;
}

/** Replaces messages of the SDK about connections, which do not explain what happened. */
function rephrase(message: string, body: string): string {
  if (message.startsWith('Failed to process successful response')) return 'the connection broke during the answer';
  if (message.startsWith('Invalid JSON response'))
    return `the response is not an answer: ${body.slice(0, 200) || 'nothing'}`;
  return message.replace(/^Cannot connect to API: /, 'it cannot be reached: ');
}

/** The header may give seconds or a date; milliseconds have a separate header. */
function retryAfterOf(answer: Facts): number | undefined {
  const headers = (answer['responseHeaders'] ?? {}) as Record<string, string | undefined>;
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (exact >= 0) return Math.ceil(exact);
  const after = headers['retry-after'] ?? '';
  if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Math.ceil(Number.parseFloat(after) * 1000);
  const until = Date.parse(after) - Date.parse(headers['date'] ?? '');
  return until >= 0 ? until : undefined;
}
