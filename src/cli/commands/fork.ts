import { OkaError } from '../../schema/errors.ts';
import type { Answer, Call } from '../command-module.ts';
import { runOperand } from '../find-run.ts';
import { type ForkOptions, startFork } from '../fork-runs.ts';
import { renderRequest, type RequestData, requestJson } from '../run-requests.ts';

export async function run(call: Call<ForkOptions & { from: string | undefined }>): Promise<Answer<RequestData>> {
  const { from } = call.options;
  if (from === undefined)
    throw new OkaError('usage', 'say from which step: --from <step>', { fix: 'See the steps: oka explain <run>' });
  return startFork(call, await runOperand(call), from);
}

export const render = renderRequest;
export const jsonLines = requestJson;
