/**
 * Owns: answering a question about a workspace from its frames.
 *
 * 1. Without a model the frames that fit best are the answer.
 * 2. A model gets frames as material within a number of tokens, and its answer names paths that it was given.
 */
import { createTokenCounter } from '../../../kit/text/tokens.ts';
import { questionRequest, readQuestionAnswer } from './workspace-question.ts';
import type { QuestionAnswer, QuestionRequest } from '../../../core/schema/synthesis.ts';
import type { Act, Outcome } from '../../../core/schema/tool.ts';
import { type Candidate, candidatesBelow, selectFrames } from './select-frames.ts';
import type { ContextTree } from '../tree-port.ts';
import { ok } from '../../../kit/define-tool.ts';
import { askModel } from '../../../kit/models/ask-model.ts';
import { rankFrames } from './rank-frames.ts';

const BYTES_PER_TOKEN = 4;
const SHOWN = 8;

/** `act` is null when there is no model to ask. */
export async function askWorkspace(tree: ContextTree, request: QuestionRequest, act: Act | null): Promise<Outcome> {
  const { chosen, tokens } = await framesFor(tree, request);
  const cost = { tokens, files_tokens: Math.ceil(sizeOf(chosen) / BYTES_PER_TOKEN) };
  if (act === null || chosen.length === 0)
    return ok({ answer: null, sources: chosen.slice(0, SHOWN).map(toSource), ...cost } satisfies QuestionAnswer);
  const given = chosen.map(({ path, frame, content }) => ({ path, ...frame, content }));
  const asked = await askModel(act, questionRequest(request.question, given), { model: request.model }, (answer) =>
    readQuestionAnswer(answer, given),
  );
  if (asked.kind === 'outcome') return asked.outcome;
  const { answer, paths } = asked.answer;
  const named = chosen.filter(({ path }) => paths.includes(path === '' ? '.' : path));
  return ok({ answer, sources: named.map(toSource), ...cost } satisfies QuestionAnswer);
}

/** The frames that fit the question, the best first, with their texts. */
export async function framesFor(
  tree: ContextTree,
  { workspace, node, question, tokens }: Pick<QuestionRequest, 'workspace' | 'node' | 'question' | 'tokens'>,
): Promise<{ chosen: Candidate[]; tokens: number }> {
  const known = await tree.read(workspace, (reader) =>
    reader.summary() === null ? [] : candidatesBelow(reader, node === '' ? '' : reader.find(node)),
  );
  const candidates: Candidate[] = [];
  for (const one of known) candidates.push({ ...one, content: (await tree.text(one.frame)) ?? '' });
  const tokenCounter = await counter();
  return selectFrames(rankFrames(candidates, question), tokens, (text) => tokenCounter.count(text));
}

let counting: ReturnType<typeof createTokenCounter> | null = null;
const counter = (): ReturnType<typeof createTokenCounter> => (counting ??= createTokenCounter('unknown'));

const sizeOf = (chosen: readonly Candidate[]): number => chosen.reduce((sum, { size }) => sum + size, 0);

function toSource({ path, frame, content }: Candidate): QuestionAnswer['sources'][number] {
  const text = content.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
  return {
    path,
    frame: frame.id,
    type: frame.type,
    text,
    ...(frame.stale === undefined ? {} : { stale: frame.stale }),
  };
}
