/**
 * Owns: what went wrong with a model, in one vocabulary and with what to do about it.
 *
 * 1. `errorOf` is pure and takes anything; it never throws.
 * 2. `temporary` means that the same request may go through later.
 */
import { messageOf, OkaError } from '../schema/errors.ts';
import type { Usage } from '../schema/effect.ts';
import { causesOf, type Facts, kindOf, type ModelErrorKind } from './error-kind.ts';

export type ModelProblem = {
  kind: ModelErrorKind;
  message: string;
  fix: string;
  temporary: boolean;
  /** How long the provider asks to be left alone. */
  retryAfterMs?: number;
};

/** Thrown by every model. `usage` is what was spent all the same, `said` what it said instead of an answer. */
export class ModelError extends OkaError {
  readonly problem: ModelProblem;
  readonly usage: Usage | undefined;
  readonly said: string;

  constructor(problem: ModelProblem, about: { usage?: Usage | undefined; said?: string; cause?: unknown } = {}) {
    super(`model-${problem.kind}`, problem.message, { fix: problem.fix, cause: about.cause });
    this.problem = problem;
    this.usage = about.usage;
    this.said = about.said ?? '';
  }
}

export function errorOf(error: unknown): ModelProblem {
  const chain = [...causesOf(error)];
  const own = chain.find((each) => each instanceof OkaError);
  if (own instanceof ModelError) return own.problem;
  if (own instanceof OkaError)
    return { ...problem('failed', own.message), ...(own.fix === undefined ? {} : { fix: own.fix }) };
  const answer = chain.find((each) => typeof each['statusCode'] === 'number') ?? {};
  const found = problem(kindOf(chain, answer), wordsOf(error, answer));
  const wait = retryAfterOf(answer);
  if (wait === undefined) return found;
  return {
    ...found,
    message: `${found.message}; it may be asked again in ${Math.ceil(wait / 1000)} s`,
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
  down: ['Check that the server runs and that its address is right; it is tried again later.', true],
  stalled: ['The model gave no sign in time: raise models.timeout_seconds, or set a faster model.', true],
  'bad-answer': ['What answered does not speak this protocol, or broke off: check the base URL.', true],
  'bad-call': ['Answer with exactly one call of one of the tools, its input as a JSON object.', false],
  'cut-off': ['Raise max_tokens of this model, or ask for less.', false],
  refused: ['The provider refused this content: put the task in other words, or set another model.', false],
  'bad-request': ['Check the settings of this model; the provider says what it did not take.', false],
  'no-recording': ['Record it with OKA_CASSETTE=record, or play without OKA_CASSETTE.', false],
  stopped: ['Nothing to do: it was asked to stop.', false],
  failed: ['Look at the message; oka doctor checks the settings.', false],
};

const QUOTED = 500;

function wordsOf(error: unknown, answer: Facts): string {
  const status = answer['statusCode'];
  const body = typeof answer['responseBody'] === 'string' ? answer['responseBody'].trim() : '';
  const said = (inOurWords(messageOf(error).trim(), body) || body || 'no reason was given').slice(0, QUOTED);
  const failed = typeof status === 'number' && (status < 200 || status >= 300);
  return failed ? `the model's server answered ${status}: ${said}` : said;
}

/** What the SDK says of a connection tells nobody what happened. */
function inOurWords(message: string, body: string): string {
  if (message.startsWith('Failed to process successful response')) return 'the connection broke off within the answer';
  if (message.startsWith('Invalid JSON response'))
    return `what came back is no answer: ${body.slice(0, 200) || 'nothing'}`;
  return message.replace(/^Cannot connect to API: /, 'it cannot be reached: ');
}

/** Seconds, milliseconds in a header of their own, or a date. */
function retryAfterOf(answer: Facts): number | undefined {
  const headers = (answer['responseHeaders'] ?? {}) as Record<string, string | undefined>;
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (exact >= 0) return Math.ceil(exact);
  const after = headers['retry-after'] ?? '';
  if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Math.ceil(Number.parseFloat(after) * 1000);
  const until = Date.parse(after) - Date.parse(headers['date'] ?? '');
  return until >= 0 ? until : undefined;
}
