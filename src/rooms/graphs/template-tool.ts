/**
 * Owns: model.template, which does the work of a node of kind `ai_template`.
 *
 * 1. Every question is a recorded call of model.complete, paid from the budget of the run.
 * 2. An answer that cannot be used is asked for again at most twice; then the node has failed for good.
 * 3. A model that is down is a failure that may pass: the retries of the node decide how often it is asked again.
 */
import { renderGraphPrompt } from '../../kit/text/graph-prompt.ts';
import { readTemplateAnswer, type TemplateForm, templateRequest } from './template-answer.ts';
import { bytesForTokens } from '../../kit/text/prompt-text.ts';
import { JsonValue } from '../../core/schema/json.ts';
import type { Schema } from '../../core/schema/json-schema.ts';
import { TemplateInput } from '../../core/schema/model-node.ts';
import type { Outcome, Tool, ToolCall } from '../../core/schema/tool.ts';
import { defineTool } from '../../kit/define-tool.ts';
import { askModel } from '../../kit/models/ask-model.ts';

/** How large the context of the model is, in tokens; null when that is not known. */
export type ContextOf = (model: string | undefined) => number | null;

export function templateTool(contextOf: ContextOf): Tool {
  return defineTool({
    name: 'model.template',
    about: 'Asks a model to answer the prompt of a step.',
    input: TemplateInput,
    output: JsonValue,
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    internal: true,
    class: 'read',
    act: (given, call) => answerTemplate(given, call, contextOf),
  });
}

async function answerTemplate(given: TemplateInput, call: ToolCall, contextOf: ContextOf): Promise<Outcome> {
  const form: TemplateForm = { format: given.format, schema: (given.schema ?? null) as Schema | null };
  const prompt = renderGraphPrompt(given.prompt, mostBytes(contextOf(given.model)));
  const request = templateRequest(prompt, form, given.max_tokens ?? null);
  const { sampling } = given;
  const asked = await askModel(
    call.act,
    sampling === undefined ? request : { ...request, sampling },
    { model: given.model },
    (answer) => readTemplateAnswer(answer, form),
  );
  if (asked.kind === 'answer') return { status: 'ok', output: asked.answer.output };
  return unlessTemporary(asked.outcome);
}

/** The chain asks again after a failure that may pass; any other would only be repeated (2, 3). */
export function unlessTemporary(outcome: Outcome): Outcome {
  return outcome.status === 'failed' ? { ...outcome, temporary: outcome.temporary === true } : outcome;
}

const USUAL_CONTEXT = 32_000;

/** Values fill at most two thirds of what the model can read. */
export function mostBytes(contextTokens: number | null): number {
  return bytesForTokens(Math.floor(((contextTokens ?? USUAL_CONTEXT) * 2) / 3));
}
