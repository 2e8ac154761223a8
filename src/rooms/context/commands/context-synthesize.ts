/** Frames for a folder and everything below it, made on request. */
import { OkaError } from '../../../core/schema/errors.ts';
import {
  type SynthesisPlan,
  type SynthesisPolicy,
  SynthesisReport,
  SynthesisRequest,
} from '../../../core/schema/synthesis.ts';
import { planSynthesis } from '../synthesis/synthesis-plan.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { parseRequest } from '../../../kit/cli/option-request.ts';
import { requestContext } from '../request-context.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { scanTree } from '../tree-access.ts';
import { renderPlan, renderReport, sumUpPlan } from '../synthesis-text.ts';

type Options = {
  type: string | undefined;
  from: string | undefined;
  agent: string | undefined;
  policy: string | undefined;
  prompt: string | undefined;
  model: string | undefined;
  force: boolean;
  plan: boolean;
  budget: number | undefined;
  workspace: string | undefined;
};

export type SynthesisData = { plan: SynthesisPlan } | { report: SynthesisReport };

export async function run(call: Call<Options>): Promise<Answer<SynthesisData>> {
  await requireHome(call.home);
  const { type, from, agent, force, model, workspace } = call.options;
  const isAll = type === '*';
  const input = parseRequest(SynthesisRequest, {
    node: call.operands[0],
    type: isAll ? undefined : type,
    takes: isAll ? '*' : from,
    agent,
    policy: policyOf(call.options),
    force,
    model,
    workspace,
  });
  if (call.options.plan || input.policy.kind === 'model') {
    await scanTree(call, input.workspace, { signal: call.signal });
    const tree = await openTreeForReading(call);
    const plan = await tree.read(input.workspace, (reader) => planSynthesis(reader, input));
    if (call.options.plan) return answer({ plan });
    call.notify(sumUpPlan(plan));
  }
  const made = await requestContext(call, { tool: 'context.synthesize', input, maxTokens: call.options.budget });
  const report = SynthesisReport.parse(made);
  return answer({ report }, report.failed.length > 0 ? exits.no : exits.ok);
}

const POLICIES = ['summarization', 'concatenation', 'filtering', 'model'];

/** A prompt means that a model writes; custom:NAME is a function of a program. */
function policyOf({ policy, prompt }: Options): SynthesisPolicy | undefined {
  if (prompt !== undefined) return { kind: 'model', prompt };
  if (policy === undefined) return undefined;
  if (policy.startsWith('custom:')) return { kind: 'custom', name: policy.slice('custom:'.length) };
  if (policy.startsWith('filtering:')) return { kind: 'filtering', contains: policy.slice('filtering:'.length) };
  if (policy === 'summarization' || policy === 'concatenation' || policy === 'model') return { kind: policy };
  throw new OkaError('usage', `there is no policy "${policy}"`, {
    fix: `There is ${POLICIES.join(', ')}; filtering:TEXT and custom:NAME take a word.`,
  });
}

export const jsonLines = (data: SynthesisData): object[] => ['plan' in data ? data.plan : data.report];

export function render(data: SynthesisData, terminal: Terminal): string {
  return 'plan' in data ? renderPlan(data.plan, terminal) : renderReport(data.report, terminal);
}
