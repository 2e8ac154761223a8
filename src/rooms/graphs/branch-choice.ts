/** Owns: what a model is asked for an `llm_condition`, and reading its choice: one of the branches, or a problem. */
import { jsonField } from '../../core/schema/json-field.ts';
import type { BranchOption, Choice } from '../../core/schema/model-node.ts';
import type { ModelAnswer, ModelRequest, ModelTool } from '../../core/schema/ports.ts';
import { DATA_RULE } from '../../kit/text/graph-prompt.ts';
import { type Problem, readCall } from '../../kit/text/model-call.ts';
import { toOneLine } from '../../core/schema/one-line.ts';

const LONGEST_REASON = 2000;

export function choiceRequest(
  prompt: string,
  options: readonly BranchOption[],
  maxTokens: number | null,
): ModelRequest {
  const system = [
    'You choose one of the branches of an automation.',
    DATA_RULE,
    'The branches:',
    ...options.map(({ name, meaning }) => `- ${JSON.stringify(name)}: ${meaning}`),
    'Answer by one call of choose, with the name of one branch and the reason in one or two sentences.',
  ].join('\n');
  return {
    role: 'executor',
    system,
    messages: [{ role: 'user', text: prompt }],
    tools: [chooseTool(options)],
    maxTokens,
  };
}

export function readChoice(answer: ModelAnswer, options: readonly BranchOption[]): Choice | Problem {
  const call = readCall(answer, [chooseTool(options)]);
  if ('problem' in call) return call;
  const [branch, reason] = [jsonField(call.input, 'branch'), jsonField(call.input, 'reason')];
  const names = options.map(({ name }) => name);
  if (typeof branch !== 'string' || !names.includes(branch))
    return { problem: `branch must be one of ${names.map((name) => JSON.stringify(name)).join(', ')}` };
  if (typeof reason !== 'string' || reason.trim() === '') return { problem: 'reason is missing' };
  return { branch, reason: toOneLine(reason, LONGEST_REASON) };
}

function chooseTool(options: readonly BranchOption[]): ModelTool {
  return {
    name: 'choose',
    about: 'Chooses the branch.',
    input: {
      type: 'object',
      properties: {
        branch: { type: 'string', enum: options.map(({ name }) => name) },
        reason: { type: 'string' },
      },
      required: ['branch', 'reason'],
      additionalProperties: false,
    },
  };
}
