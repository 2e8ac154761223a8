/** Frames that are stale are made again. */
import { RegenerationRequest, SynthesisReport } from '../../../core/schema/synthesis.ts';
import { planRegeneration } from '../synthesis/synthesis-plan.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import { parseRequest } from '../../../kit/cli/option-request.ts';
import { requestContext } from '../request-context.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { scanTree } from '../tree-access.ts';
import { sumUpPlan } from '../synthesis-text.ts';
import type { SynthesisData } from './context-synthesize.ts';

export { jsonLines, render } from './context-synthesize.ts';

type Options = {
  recursive: boolean;
  force: boolean;
  model: string | undefined;
  plan: boolean;
  budget: number | undefined;
  workspace: string | undefined;
};

export async function run(call: Call<Options>): Promise<Answer<SynthesisData>> {
  await requireHome(call.home);
  const { recursive, force, model, workspace } = call.options;
  const input = parseRequest(RegenerationRequest, { node: call.operands[0], recursive, force, model, workspace });
  await scanTree(call, input.workspace, { signal: call.signal });
  const tree = await openTreeForReading(call);
  const plan = await tree.read(input.workspace, (reader) => planRegeneration(reader, input));
  if (call.options.plan) return answer({ plan });
  if (plan.model_calls > 0) call.notify(sumUpPlan(plan));
  const made = await requestContext(call, { tool: 'context.regenerate', input, maxTokens: call.options.budget });
  const report = SynthesisReport.parse(made);
  return answer({ report }, report.failed.length > 0 ? exits.no : exits.ok);
}
