/** Answers to questions of runs. */
import { OkaError } from '../../../core/schema/errors.ts';
import type { WaitAnswer, WaitFor } from '../../../core/schema/wait.ts';
import { command, type Commands } from '../../../kit/cli/command-module.ts';
import { findWait, type OpenWait, readOpenWaits } from '../../../kit/cli/find-run.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { renderRequest, requestJson, requestRun } from '../../../kit/cli/run-requests.ts';

export const commands: Commands = {
  answer: command({
    summary: 'Answer what a run waits for',
    operands: '[wait] <text>',
    example: 'oka answer report-1.send.0.w0 yes',
    run: async (call) => {
      const { open, text } = readAnswer(call.operands, await readOpenWaits(call.home));
      const { wait } = open;
      await assertOption(open.for, text);
      const answer: WaitAnswer = {
        verdict: open.for.kind === 'approval' ? await verdictOf(text) : 'answered',
        text,
        by: operatorName(),
        ...(open.for.kind === 'approval' ? { binding: open.for.binding } : {}),
      };
      return requestRun(call, { kind: 'answer', wait, answer });
    },
    render: renderRequest,
    jsonLines: requestJson,
  }),
};

/** A question that chooses a branch has no other answers than its own. */
async function assertOption(asked: WaitFor, text: string): Promise<void> {
  if (asked.kind !== 'question' || asked.branch !== true || asked.options === undefined) return;
  const { chosenOption } = await import('../../../core/schema/wait.ts');
  if (chosenOption(asked.options, text) === null)
    throw new OkaError('usage', `this question has the answers ${asked.options.join(', ')}`);
}

/** One word alone is the answer to the only question there is. */
function readAnswer(operands: readonly string[], waits: readonly OpenWait[]): { open: OpenWait; text: string } {
  const [first = '', ...words] = operands;
  const text = words.join(' ').trim();
  if (text !== '') return { open: findWait(first, waits), text };
  const [only, ...others] = waits.filter(({ for: { kind } }) => kind !== 'timer' && kind !== 'turn');
  const isName = waits.some(({ wait }) => wait.startsWith(first));
  if (only !== undefined && others.length === 0 && !isName) return { open: only, text: first };
  throw new OkaError('usage', 'say which wait, and the answer', {
    fix: `Example: oka answer ${only?.wait ?? 'report-1.send.0.w0'} yes`,
  });
}

/** Only a clear yes is a yes. */
async function verdictOf(text: string): Promise<'approved' | 'denied'> {
  const { spokenVerdict } = await import('../../../core/schema/wait.ts');
  const verdict = spokenVerdict(text);
  if (verdict === null) throw new OkaError('usage', 'this wait needs yes or no');
  return verdict;
}
