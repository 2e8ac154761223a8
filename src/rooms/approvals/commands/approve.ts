import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { decideApproval, type DecideOptions } from '../decide-approval.ts';
import { renderRequest, type RequestData, requestJson } from '../../../kit/cli/run-requests.ts';

export async function run(call: Call<DecideOptions>): Promise<Answer<RequestData>> {
  return decideApproval(call, 'approved');
}

export const render = renderRequest;
export const jsonLines = requestJson;
