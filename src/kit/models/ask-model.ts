/** Asking a model until its answer can be used: it is asked again with what is wrong, at most twice unless set otherwise. */
import { type Problem, repairRequest } from '../text/model-call.ts';
import type { Clock, ModelAnswer, ModelRequest } from '../../core/schema/ports.ts';
import type { Json } from '../../core/schema/json.ts';
import type { PromptPicture } from '../../core/schema/picture.ts';
import type { Act, Outcome } from '../../core/schema/tool.ts';

const MOST_REPAIRS = 2;
const LONGEST_PAUSE_MS = 300_000;
/** Of a model's own words, such as a refusal. */
const QUOTED_CHARS = 600;

/** Who is asked, how often again, and when again if it is down; without `later` a model that is down is a failure. */
type About = {
  model: string | undefined;
  mostRepairs?: number;
  later?: { clock: Clock; askAgainMs: number; attempt: number };
};

type Asked<T> = { kind: 'answer'; answer: T } | { kind: 'outcome'; outcome: Outcome };

export async function askModel<T extends object>(
  act: Act,
  request: ModelRequest,
  about: About,
  read: (answer: ModelAnswer) => T | Problem | Promise<T | Problem>,
): Promise<Asked<T>> {
  const most = about.mostRepairs ?? MOST_REPAIRS;
  let asked = request;
  let problem = '';
  let words = '';
  for (let repairs = 0; repairs <= most; repairs += 1) {
    const outcome = await act('model.complete', inputOf(asked, about.model));
    if (outcome.status !== 'ok') return { kind: 'outcome', outcome: laterIfTemporary(outcome, about.later) };
    const answer = answerIn(outcome.output);
    const found = answer.problem === null ? await read(answer) : { problem: answer.problem };
    if (!('problem' in found)) return { kind: 'answer', answer: found };
    problem = found.problem;
    words = answer.text;
    asked = repairRequest(request, answer, problem);
  }
  const who = request.role === 'executor' ? 'model' : request.role;
  const error = `the ${who} answered ${most + 1} times what cannot be used: ${withWords(problem, words)}`;
  return { kind: 'outcome', outcome: { status: 'failed', error } };
}

/** A problem with an answer, and what the model wrote: a refusal is best understood in its own words. */
export function withWords(problem: string, words: string): string {
  const text = words.trim();
  return text === '' ? problem : `${problem}. It wrote: "${text.slice(0, QUOTED_CHARS)}"`;
}

export function inputOf(
  { role, system, messages, tools, parallel, mayAnswer, maxTokens, sampling }: ModelRequest,
  model: string | undefined,
): Json {
  return {
    role,
    system,
    messages: messages.map(({ role: who, text, stable = [], pictures = [] }) => ({
      role: who,
      text,
      ...(stable.length === 0 ? {} : { stable: [...stable] }),
      ...(pictures.length === 0 ? {} : { pictures: pictures.map(pictureInput) }),
    })),
    tools: tools.map((tool) => ({ ...tool })),
    ...(parallel === true ? { parallel } : {}),
    ...(mayAnswer === true ? { may_answer: mayAnswer } : {}),
    max_tokens: maxTokens,
    ...(model === undefined ? {} : { model }),
    ...(sampling === undefined ? {} : { sampling: sampling as Record<string, number> }),
  };
}

function pictureInput({ name, artifact, width, height }: PromptPicture): Json {
  const { name: file, ...stored } = artifact;
  return {
    name,
    artifact: { ...stored, ...(file === undefined ? {} : { name: file }) },
    ...(width === undefined || height === undefined ? {} : { width, height }),
  };
}

/** As model.complete gives it. */
export function answerIn(output: Json): ModelAnswer & { problem: string | null } {
  const { text, call, more = [], problem, model } = output as unknown as ModelAnswer & { problem: string | null };
  return { text, call, ...(more.length === 0 ? {} : { more }), problem, model, usage: {} };
}

/** A model that is down for a while is waited for: what was done stays done. */
function laterIfTemporary(outcome: Outcome, later: About['later']): Outcome {
  if (outcome.status !== 'failed' || outcome.temporary !== true || later === undefined) return outcome;
  const { clock, askAgainMs, attempt } = later;
  const ms = Math.ceil(Math.min(LONGEST_PAUSE_MS, askAgainMs * 2 ** Math.min(attempt - 1, 20)));
  const until = new Date(clock() + ms).toISOString();
  return { status: 'waiting', for: { kind: 'timer', until, ms, why: `the model ${outcome.error}`.slice(0, 4000) } };
}
