import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { renderStatusRequest, requestStatus, type StatusRequest, statusRequestJson } from '../procedure-access.ts';

export async function run(call: Call<{ reason: string | undefined }>): Promise<Answer<StatusRequest>> {
  return requestStatus(call, 'demoted');
}

export const render = renderStatusRequest;
export const jsonLines = statusRequestJson;
