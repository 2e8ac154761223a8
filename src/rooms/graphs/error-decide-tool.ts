/**
 * Owns: error.decide, by which the engine asks a model about a node that has failed (core/engine/error-handler.ts).
 *
 * 1. A changed input is accepted only if the call stays the same one in the eyes of the guard: the same tool, targets,
 *    secrets and network, and no higher class. Anything else is asked about again once, then nothing is decided.
 * 2. The question and every answer are recorded calls, paid from the budget of the run.
 */
import { changedInputProblem } from '../../core/guard/changed-input.ts';
import { createDescriber, type Describe } from '../../core/guard/judge-call.ts';
import { errorRequest, readErrorDecision } from './error-decision.ts';
import { ERROR_DECIDE, ErrorDecideInput, ErrorDecision } from '../../core/schema/error-handling.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Tool, ToolCall } from '../../core/schema/tool.ts';
import { defineTool, ok } from '../../kit/define-tool.ts';
import { classifyWithHosts, commandOf, type GuardPorts } from '../../kit/policy/create-guard.ts';
import { askModel } from '../../kit/models/ask-model.ts';
import { unlessTemporary } from './template-tool.ts';

type ErrorPorts = Pick<GuardPorts, 'tools' | 'classify' | 'deskOf'>;

export function errorDecideTool(ports: ErrorPorts): Tool {
  const describe = describerOf(ports);
  return defineTool({
    name: ERROR_DECIDE,
    about: 'Asks a model what to do about a step that has failed.',
    input: ErrorDecideInput,
    output: ErrorDecision,
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    internal: true,
    class: 'read',
    act: async (given, call) => {
      const inputProblem = (input: Json): string | null => problemWith(given, input, call, ports, describe);
      const asked = await askModel(call.act, errorRequest(given), { model: undefined, mostRepairs: 1 }, (answer) =>
        readErrorDecision(answer, given, inputProblem),
      );
      return asked.kind === 'answer' ? ok(asked.answer) : unlessTemporary(asked.outcome);
    },
  });
}

/** As a call of a model: what a person wrote and a model has changed is judged as the model's (1). */
function problemWith(
  given: ErrorDecideInput,
  input: Json,
  call: ToolCall,
  { tools }: ErrorPorts,
  describe: Describe,
): string | null {
  const tool = tools.get(given.tool);
  if (tool === undefined) return `there is no tool "${given.tool}"`;
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) return `${given.tool} cannot take this input: ${parsed.error.issues[0]?.message ?? ''}`;
  const asCall = (of: Json): ToolCall => ({
    ...call,
    tool: given.tool,
    input: of,
    author: 'model',
    class: tool.classOf(of, 'model', call.folders),
  });
  return changedInputProblem(asCall(given.input), asCall(input), tool.targets, describe);
}

function describerOf(ports: ErrorPorts): Describe {
  return createDescriber(ports.tools, (call) => {
    const command = commandOf(call);
    return command === null ? null : classifyWithHosts(call, command, ports);
  });
}
