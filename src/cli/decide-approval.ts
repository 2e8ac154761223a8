/** Answering an approval from the command line: approve and deny are one command with two names. */
import { peekProjection } from '../ledger/peek-projection.ts';
import { taskGraph } from '../ledger/task-graph.ts';
import { parseApprovedHosts } from '../guard/approved-hosts.ts';
import { OkaError } from '../schema/errors.ts';
import type { WaitAnswer, WaitFor } from '../schema/wait.ts';
import type { Answer, Call } from './command-module.ts';
import { operatorName } from './operator-name.ts';
import { type RequestData, requestRun } from './run-requests.ts';

type Approval = Extract<WaitFor, { kind: 'approval' }>;

/** `host`: hosts that the approval names; deny has no such option. */
export type DecideOptions = { alwaysForThisRun: boolean; host?: readonly string[] };

export async function decideApproval(
  call: Call<DecideOptions>,
  verdict: 'approved' | 'denied',
): Promise<Answer<RequestData>> {
  const [wanted, ...words] = call.operands;
  if (wanted === undefined) throw new OkaError('usage', 'say which approval', { fix: 'See what waits: oka status' });
  const hosts = parseApprovedHosts(call.options.host ?? []);
  const { state } = await peekProjection(call.home.ledgers.run, call.home.oka, taskGraph);
  const { wait, asking } = findApproval(
    wanted,
    state.goals.flatMap((goal) => goal.waits),
  );
  const answer: WaitAnswer = {
    verdict,
    by: operatorName(),
    binding: asking.binding,
    ...(words.length === 0 ? {} : { text: words.join(' ') }),
    ...(call.options.alwaysForThisRun ? { always: true } : {}),
    ...(hosts.length === 0 ? {} : { hosts }),
  };
  return requestRun(call, { kind: 'answer', wait, answer });
}

/** The wait with this name, or the only one whose name begins so. */
function findApproval(
  wanted: string,
  waits: readonly { wait: string; for: WaitFor }[],
): { wait: string; asking: Approval } {
  const approvals = waits.flatMap(({ wait, for: asking }) => (asking.kind === 'approval' ? [{ wait, asking }] : []));
  const found = approvals.filter(({ wait }) => wait.startsWith(wanted));
  const only = found.find(({ wait }) => wait === wanted) ?? (found.length === 1 ? found[0] : undefined);
  if (only !== undefined) return only;
  if (found.length > 1)
    throw new OkaError('usage', `"${wanted}" can be ${namesOf(found).join(' or ')}`, { fix: 'Give more of the name.' });
  const isOther = waits.some(({ wait }) => wait === wanted);
  throw new OkaError(
    'no-such-wait',
    isOther ? `"${wanted}" is not an approval` : `no approval "${wanted}" is awaited`,
    {
      fix: isOther ? `Answer it: oka answer ${wanted} "…"` : 'See what waits: oka status',
    },
  );
}

const namesOf = (waits: readonly { wait: string }[]): string[] => waits.map(({ wait }) => wait).toSorted();
