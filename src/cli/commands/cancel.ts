import type { Answer, Call } from '../command-module.ts';
import { onlyOperand } from '../operands.ts';
import { renderRequest, type RequestData, requestJson, requestRun } from '../run-requests.ts';

export async function run(call: Call): Promise<Answer<RequestData>> {
  return requestRun(call, { kind: 'cancel', run: onlyOperand(call, 'run') });
}

export const render = renderRequest;
export const jsonLines = requestJson;
