import { OkaError } from '../../../core/schema/errors.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import { type ForkOptions, startFork } from '../../../kit/cli/fork-runs.ts';
import { renderRequest, type RequestData, requestJson } from '../../../kit/cli/run-requests.ts';

export async function run(call: Call<ForkOptions>): Promise<Answer<RequestData>> {
  const [named, node, ...more] = call.operands;
  if (named === undefined || node === undefined || more.length > 0)
    throw new OkaError('usage', 'say which run, and at which node', { fix: 'oka graph fork <run> <node>' });
  return startFork(call, await findRunName(call, named), node);
}

export const render = renderRequest;
export const jsonLines = requestJson;
