import type { Call } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { request } from '../run-requests.ts';

export async function run(call: Call): Promise<number> {
  return request(call, { kind: 'cancel', run: onlyOperand(call, 'run') });
}
