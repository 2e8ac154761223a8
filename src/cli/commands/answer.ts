import { OkaError } from '../../schema/errors.ts';
import type { WaitAnswer } from '../../schema/wait.ts';
import { peekProjection } from '../../ledger/peek-projection.ts';
import { taskGraph } from '../../ledger/task-graph.ts';
import type { Answer, Call } from '../command-module.ts';
import { operatorName } from '../operator-name.ts';
import { renderRequest, type RequestData, requestJson, requestRun } from '../run-requests.ts';

export async function run(call: Call): Promise<Answer<RequestData>> {
  const [wait, ...words] = call.operands;
  const text = words.join(' ').trim();
  if (wait === undefined || text === '')
    throw new OkaError('usage', 'say which wait, and the answer', {
      fix: 'Example: oka answer report-1.send.0.w0 yes',
    });
  const { state } = await peekProjection(call.home.ledgers.run, call.home.oka, taskGraph);
  const open = state.goals.flatMap((goal) => goal.waits).find((each) => each.wait === wait);
  if (open === undefined)
    throw new OkaError('no-such-wait', `nothing waits for "${wait}"`, { fix: 'See what waits: oka status' });
  const answer: WaitAnswer = {
    verdict: open.for.kind === 'approval' ? verdictOf(text) : 'answered',
    text,
    by: operatorName(),
    ...(open.for.kind === 'approval' ? { binding: open.for.binding } : {}),
  };
  return requestRun(call, { kind: 'answer', wait, answer });
}

export const render = renderRequest;
export const jsonLines = requestJson;

/** Only a clear yes is a yes. */
function verdictOf(text: string): 'approved' | 'denied' {
  if (/^(?:yes|y|approve|approved)$/i.test(text)) return 'approved';
  if (/^(?:no|n|deny|denied)\b/i.test(text)) return 'denied';
  throw new OkaError('usage', 'this wait needs yes or no');
}
