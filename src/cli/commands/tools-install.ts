import type { Call } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { requestTools } from '../tool-requests.ts';

export async function run(call: Call): Promise<number> {
  return requestTools(call, [{ kind: 'install', what: onlyOperand(call, 'tool') }]);
}
