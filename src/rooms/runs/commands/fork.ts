import { OkaError } from '../../../core/schema/errors.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { type ForkOptions, startFork } from '../../../kit/cli/fork-runs.ts';
import { renderRequest, type RequestData, requestJson } from '../../../kit/cli/run-requests.ts';

export async function run(call: Call<ForkOptions & { from: string | undefined }>): Promise<Answer<RequestData>> {
  const { from } = call.options;
  if (from === undefined)
    throw new OkaError('usage', 'say from which step: --from <step>', { fix: 'See the steps: oka explain <run>' });
  return startFork(call, await runOperand(call), from);
}

export const render = renderRequest;
export const jsonLines = requestJson;
