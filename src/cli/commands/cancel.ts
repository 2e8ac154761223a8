import type { Answer, Call } from '../command-module.ts';
import { runOperand } from '../find-run.ts';
import { renderRequest, type RequestData, requestJson, requestRun } from '../run-requests.ts';

export async function run(call: Call): Promise<Answer<RequestData>> {
  return requestRun(call, { kind: 'cancel', run: await runOperand(call) });
}

export const render = renderRequest;
export const jsonLines = requestJson;
