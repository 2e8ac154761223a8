/**
 * Owns: model.choose, which does the work of a node of kind `llm_condition`.
 *
 * 1. Only a branch of the graph is ever chosen: anything else is asked for again once, then it is no choice.
 * 2. Without a choice the default is followed, if there is one, and the output says that and why.
 * 3. A model that is down is asked again as often as the node may be tried; the default is for the last attempt.
 */
import { choiceRequest, readChoice } from './branch-choice.ts';
import { renderGraphPrompt } from '../../kit/text/graph-prompt.ts';
import { Choice, ChoiceInput } from '../../core/schema/model-node.ts';
import { toOneLine } from '../../core/schema/one-line.ts';
import type { Outcome, Tool, ToolCall } from '../../core/schema/tool.ts';
import { defineTool, ok } from '../../kit/define-tool.ts';
import { askModel } from '../../kit/models/ask-model.ts';
import { type ContextOf, mostBytes, unlessTemporary } from './template-tool.ts';

const LONGEST_REASON = 2000;

export function chooseTool(contextOf: ContextOf): Tool {
  return defineTool({
    name: 'model.choose',
    about: 'Lets a model choose one of the branches of a step.',
    input: ChoiceInput,
    output: Choice,
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    internal: true,
    class: 'read',
    act: async (given, call) => {
      const outcome = unlessTemporary(await choiceOf(given, call, contextOf));
      return outcome.status === 'ok' || willBeTriedAgain(outcome, call) ? outcome : withDefault(given, outcome);
    },
  });
}

async function choiceOf(given: ChoiceInput, call: ToolCall, contextOf: ContextOf): Promise<Outcome> {
  const { options, model, sampling } = given;
  const prompt = renderGraphPrompt(given.prompt, mostBytes(contextOf(model)));
  const request = choiceRequest(prompt, options, given.max_tokens ?? null);
  const asked = await askModel(
    call.act,
    sampling === undefined ? request : { ...request, sampling },
    { model, mostRepairs: 1 },
    (answer) => readChoice(answer, options),
  );
  return asked.kind === 'answer' ? ok(asked.answer) : asked.outcome;
}

/** Whether the chain makes another attempt: it does after a failure that may pass, while there are retries (3). */
function willBeTriedAgain(outcome: Outcome, { attempt, bounds, left }: ToolCall): boolean {
  return outcome.status === 'failed' && outcome.temporary === true && attempt <= bounds.retries && left().retries >= 1;
}

/** A call that was stopped, or that waits, is no failure: it is made again later. */
function withDefault({ default: branch }: ChoiceInput, outcome: Outcome): Outcome {
  if (branch === undefined || (outcome.status !== 'failed' && outcome.status !== 'denied')) return outcome;
  return ok({ branch, reason: toOneLine(`no choice of the model: ${outcome.error}`, LONGEST_REASON), by: 'default' });
}
