import { exportReceipt } from '../export-receipt.ts';
import type { RunReceipt } from '../../../core/schema/run-receipt.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { withReadingProgress } from '../../../kit/cli/reading-progress.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

export async function run(call: Call): Promise<Answer<RunReceipt>> {
  await requireHome(call.home);
  const id = await runOperand(call);
  return answer(await withReadingProgress(call, (reading) => exportReceipt(call.home, id, reading)));
}

/** The file itself: it is redirected, or piped to somebody. */
export const render = (receipt: RunReceipt): string => `${JSON.stringify(receipt, null, 1)}\n`;
