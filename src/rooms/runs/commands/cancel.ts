import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { renderRequest, type RequestData, requestJson, requestRun } from '../../../kit/cli/run-requests.ts';

export async function run(call: Call): Promise<Answer<RequestData>> {
  return requestRun(call, { kind: 'cancel', run: await runOperand(call) });
}

export const render = renderRequest;
export const jsonLines = requestJson;
