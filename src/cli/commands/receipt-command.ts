import { exportReceipt } from '../../daemon/home/export-receipt.ts';
import type { RunReceipt } from '../../schema/run-receipt.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { onlyOperand } from '../operands.ts';
import { requireHome } from '../require-home.ts';

export async function run(call: Call): Promise<Answer<RunReceipt>> {
  requireHome(call.home);
  return answer(await exportReceipt(call.home, onlyOperand(call, 'run')));
}

/** The file itself: it is redirected, or piped to somebody. */
export const render = (receipt: RunReceipt): string => `${JSON.stringify(receipt, null, 1)}\n`;
