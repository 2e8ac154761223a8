/** Decisions about what waits for a person. */
import { renderRequest, type RequestData, requestJson, requestRun } from '../../../kit/cli/run-requests.ts';
import { type Answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { flag, texts } from '../../../kit/cli/options.ts';
import { parseApprovedHosts } from '../../../core/guard/approved-hosts.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { WaitAnswer, WaitFor } from '../../../core/schema/wait.ts';
import { findWait, type OpenWait, readOpenWaits } from '../../../kit/cli/find-run.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';

type Approval = Extract<WaitFor, { kind: 'approval' }>;

/** `host`: hosts that the approval names; deny has no such option. */
type DecideOptions = { alwaysForThisRun: boolean; alwaysForThisTool?: boolean; host?: readonly string[] };

const always = flag('Also for the same tool, class, programs and hosts, as long as this run lasts.');

export const commands: Commands = {
  approve: command({
    summary: 'Let a run do what it asks for; without a name, the only one that asks',
    operands: '[wait] [note…]',
    options: {
      'always-for-this-run': always,
      'always-for-this-tool': flag('Also for every later call of this tool of an MCP server, in all runs.'),
      host: texts('HOST[:PORT]', 'A host that the command may reach, besides those it names; repeat for more.'),
    },
    example: 'oka approve report-1.send.0.w0',
    run: async (call) => decideApproval(call, 'approved'),
    render: renderRequest,
    jsonLines: requestJson,
  }),
  deny: command({
    summary: 'Refuse what a run asks for; without a name, the only one that asks',
    operands: '[wait] [note…]',
    options: { 'always-for-this-run': always },
    example: 'oka deny report-1.send.0.w0 not today',
    run: async (call) => decideApproval(call, 'denied'),
    render: renderRequest,
    jsonLines: requestJson,
  }),
};

/** Answering an approval from the command line: approve and deny are one command with two names. */
async function decideApproval(call: Call<DecideOptions>, verdict: 'approved' | 'denied'): Promise<Answer<RequestData>> {
  const [wanted, ...words] = call.operands;
  const hosts = parseApprovedHosts(call.options.host ?? []);
  const { wait, for: asking } = findApproval(wanted, await readOpenWaits(call.home));
  const answer: WaitAnswer = {
    verdict,
    by: operatorName(),
    binding: asking.binding,
    ...(words.length === 0 ? {} : { text: words.join(' ') }),
    ...(call.options.alwaysForThisRun ? { always: true } : {}),
    ...(call.options.alwaysForThisTool === true ? { always_for_tool: asking.asked?.tool ?? '' } : {}),
    ...(hosts.length === 0 ? {} : { hosts }),
  };
  return requestRun(call, { kind: 'answer', wait, answer });
}

/** The approval with this name, or the only one whose name begins so; without a name the only one there is. */
function findApproval(wanted: string | undefined, waits: readonly OpenWait[]): OpenWait<Approval> {
  const approvals = waits.filter((each): each is OpenWait<Approval> => each.for.kind === 'approval');
  if (wanted === undefined) return onlyApproval(approvals, waits);
  const other = waits.find(({ wait, for: { kind } }) => wait === wanted && kind !== 'approval');
  if (other !== undefined)
    throw new OkaError('no-such-wait', `"${wanted}" is not an approval`, {
      fix: `Answer it: oka answer ${wanted} "…"`,
    });
  return findWait(wanted, approvals);
}

function onlyApproval(approvals: readonly OpenWait<Approval>[], waits: readonly OpenWait[]): OpenWait<Approval> {
  const [first, ...others] = approvals;
  if (first === undefined) {
    const question = waits.find(({ for: { kind } }) => kind === 'question');
    const fix = question === undefined ? 'See what waits: oka status' : `Answer it: oka answer ${question.wait} "…"`;
    throw new OkaError('no-such-wait', 'no approval is awaited', { fix });
  }
  if (others.length === 0) return first;
  const names = approvals.map(({ wait }) => `  ${wait}`).toSorted();
  throw new OkaError('usage', `${approvals.length} approvals are awaited; say which approval:\n${names.join('\n')}`, {
    fix: 'The start of a name is enough. See what each is about: oka status',
  });
}
