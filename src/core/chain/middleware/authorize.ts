/**
 * Whether a call may run: allow, ask a person, or deny.
 *
 * Z1 An approval is bound to everything that makes the call what it is, and to the attempt that asked. It is good for
 *    the attempt right after that one and for no other.
 * Z2 It is compared when the call comes in and once more right before the tool acts: what changed in between, a script
 *    say, is asked about again.
 * Z4 Where files that a call has written were set aside, the approval puts just these in place; nothing runs again.
 * Z5 Every hop of a redirect is judged as a call of its own. Within the host that a person approved, it follows.
 * Z3 A refusal is not a question: no approval helps against it.
 */
import { hash } from 'node:crypto';
import type { Verdict } from '../../guard/judge-call.ts';
import type { Around } from '../../guard/describe-call.ts';
import { shorten, escapeInvisibleLine } from '../../guard/escape-invisible.ts';
import type { Middleware } from '../../schema/ports.ts';
import type { Outcome, ToolCall } from '../../schema/tool.ts';
import type { Asked, FilesAside } from '../../schema/wait.ts';

export type Judge = (call: ToolCall) => Verdict | Promise<Verdict>;

type Answered = { expires: string | null; aside?: FilesAside; hosts?: readonly string[] };

/** How people are asked. Without it an approval is bound to the call alone and does not expire. */
export type ApprovalPorts = {
  around: (call: ToolCall) => Promise<Around>;
  /** The answer that gave this call its approval, as the ledger has it; null when there is none. */
  answered: (call: ToolCall) => Promise<Answered | null>;
  /** When a question that is asked now ends. */
  expiry: () => string;
  clock: () => number;
  /** Null when it is too long to be shown; a word on why, when it cannot be shown for another reason. */
  show: (call: ToolCall, why: string, around: Around) => Asked | string | null | Promise<Asked | string | null>;
};

/** What changes nothing is allowed; everything else is asked about. */
export const cautiousJudge: Judge = (call) => {
  if (call.class === 'read') return { effect: 'allow', why: 'it only reads' };
  if (call.class === 'deny') return { effect: 'deny', why: 'it is never allowed' };
  return { effect: 'ask', why: call.class === 'write_local' ? 'it changes files' : 'it may change something outside' };
};

export function authorize(judge: Judge = cautiousJudge, asking?: ApprovalPorts): Middleware {
  return {
    name: 'authorize',
    call: async (call, next) => {
      const aside = call.approval === null ? null : await approvedAside(call, asking);
      if (aside !== null) return next({ ...call, aside });
      const judged = judge(call);
      // Without a pause where none is needed: calls that start together are paid for in the order in which they reserved.
      const verdict = judged instanceof Promise ? await judged : judged;
      const { effect, why, isForRun = false, approvedHosts = [] } = verdict;
      if (effect === 'deny') return { status: 'denied', error: `${call.tool}: ${why}` };
      // Written out, since every node pays for what happens here: only these two follow redirects.
      const asked =
        call.tool === 'http.get' || call.tool === 'web.read' ? { ...call, whyNotFollow: hopJudge(judge, call) } : call;
      if (effect === 'allow' && !call.bounds.ask)
        return next(
          call.approval === null && !isForRun && approvedHosts.length === 0
            ? asked
            : { ...asked, approval: null, isAllowedForRun: isForRun, approvedHosts },
        );
      const answered = await findApproval(call, asking);
      const mayBeAlways = verdict.mayBeAlways === true && !call.bounds.ask;
      return answered === null ? askForApproval(call, why, asking, mayBeAlways) : next(withHosts(asked, answered));
    },
  };
}

/** Judges where a server leads a call (Z5). */
function hopJudge(judge: Judge, call: ToolCall): (address: string) => Promise<string | null> {
  return async (address) => {
    const from = call.input;
    if (from === null || typeof from !== 'object' || Array.isArray(from)) return null;
    const isApprovedHost = call.approval !== null && hostOf(from['url']) === hostOf(address);
    if (isApprovedHost) return null;
    const { effect, why } = await judge({
      ...call,
      approval: null,
      input: { ...from, url: address },
      redirectedFrom: from,
    });
    return effect === 'allow' ? null : why;
  };
}

const hostOf = (address: unknown): string | null =>
  typeof address === 'string' ? (URL.parse(address)?.host ?? null) : null;

/** Z2: as far inside as possible, where the call is still the one that was recorded. */
export function confirm(asking?: ApprovalPorts): Middleware {
  if (asking === undefined) return { name: 'confirm' };
  return {
    name: 'confirm',
    call: async (call, next) => {
      if (call.approval === null || call.aside !== undefined || (await findApproval(call, asking)) !== null)
        return next(call);
      return askForApproval(call, 'something it depends on has changed since it was approved', asking);
    },
  };
}

/** Z4. The binding of such a question is its own, not that of the call. */
async function approvedAside(call: ToolCall, asking: ApprovalPorts | undefined): Promise<FilesAside | null> {
  const answered = (await asking?.answered(call)) ?? null;
  if (asking === undefined || answered?.aside === undefined) return null;
  return isExpired(answered.expires, asking.clock()) ? null : answered.aside;
}

/** The approval that fits this call; null when there is none. */
async function findApproval(call: ToolCall, asking: ApprovalPorts | undefined): Promise<Answered | null> {
  if (call.approval === null) return null;
  if (asking === undefined) return call.approval === bindingHash(call) ? { expires: null } : null;
  const answered = await asking.answered(call);
  if (answered === null || isExpired(answered.expires, asking.clock())) return null;
  return call.approval === bindingHash(call, await asking.around(call), answered.expires) ? answered : null;
}

const withHosts = (call: ToolCall, { hosts = [] }: Answered): ToolCall =>
  hosts.length === 0 ? call : { ...call, approvedHosts: hosts };

const isExpired = (expires: string | null, now: number): boolean => expires !== null && Date.parse(expires) <= now;

async function askForApproval(
  asked: ToolCall,
  why: string,
  asking: ApprovalPorts | undefined,
  mayBeAlways = false,
): Promise<Outcome> {
  const call = { ...asked, approval: null };
  const input = shorten(escapeInvisibleLine(JSON.stringify(call.input)), 8000);
  const text = shorten(`${call.tool} ${input} (${call.class}: ${escapeInvisibleLine(why)})`, 16_000);
  if (asking === undefined) return { status: 'waiting', for: { kind: 'approval', binding: bindingHash(call), text } };
  const around = await asking.around(call);
  const shown = await asking.show(call, why, around);
  if (shown === null)
    return { status: 'denied', error: `${call.tool}: it is too long for a person to look at; put it into a file` };
  if (typeof shown === 'string') return { status: 'failed', error: `${call.tool}: ${shown}`, temporary: false };
  const expires = asking.expiry();
  const binding = bindingHash(call, around, expires);
  const seen: Asked = mayBeAlways ? { ...shown, may_be_always: true } : shown;
  return { status: 'waiting', for: { kind: 'approval', binding, text, expires, asked: seen } };
}

/** Everything that an approval covers. Another tool, input, step, run, attempt, place, file or policy has another hash. */
export function bindingHash(call: ToolCall, around: Around | null = null, expires: string | null = null): string {
  const { run, node, tool, input, key, author } = call;
  return hash(
    'sha256',
    JSON.stringify([askingCallName(call), run, node, tool, call.class, input, key, author, around, expires]),
  );
}

/**
 * The name of the call that asked: this one, or the same one in the attempt before when this one has the answer. Behind
 * run and node a name has visit and attempt, and the number of a call that was made within it.
 */
function askingCallName({ run, node, call, approval }: ToolCall): string {
  const from = `${run}.${node}.`;
  if (approval === null || !call.startsWith(from)) return call;
  const [visit, attempt, ...within] = call.slice(from.length).split('.');
  const before = attempt?.replace(/\d+$/, (number) => String(Number(number) - 1));
  return `${from}${[visit, before, ...within].join('.')}`;
}
