import { OkaError } from '../../../core/schema/errors.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import {
  findProcedure,
  renderStatusRequest,
  requestStatus,
  type StatusRequest,
  statusRequestJson,
} from '../procedure-access.ts';

type Options = { force: boolean; reason: string | undefined };

export async function run(call: Call<Options>): Promise<Answer<StatusRequest>> {
  if (call.options.force) return requestStatus(call, 'promoted');
  const { procedure } = await findProcedure(call);
  throw new OkaError('usage', 'procedures are promoted by their numbers; a person can only put one above them', {
    fix: `If you mean it: oka procedures promote ${procedure.id} --force`,
  });
}

export const render = renderStatusRequest;
export const jsonLines = statusRequestJson;
