/**
 * Owns: the projection of open and granted approvals. Answers are stored nowhere else.
 *
 * G1 An approval is retained from its answer until its call has ended; nothing remains of a run that is over.
 */
import type { Event } from '../schema/event.ts';
import type { Projection } from '../schema/ports.ts';
import type { FilesAside, Grant } from '../schema/wait.ts';
import type { Given } from './judge-call.ts';

type Asking = {
  run: string;
  node: string | null;
  binding: string;
  expires: string | null;
  grant: Grant | null;
  /** Hosts that the answer names. */
  hosts?: readonly string[];
  /** What was set aside and is asked about; absent when the question is about the call itself. */
  aside?: FilesAside;
};

export type GivenState = {
  /** Hash of the active policy. */
  policy: string | null;
  /** Open approvals, by wait. */
  open: Record<string, Asking>;
  /** Approvals that were granted and not used yet, by wait. */
  approved: Record<string, Asking>;
  /** Answers that apply to a whole run. */
  grants: (Given & { run: string })[];
};

export const given: Projection<GivenState> = {
  name: 'given_approvals',
  version: 1,
  types: ['policy.loaded', 'wait.opened', 'wait.closed', 'call.ended', 'run.ended'],
  initial: () => ({ policy: null, open: {}, approved: {}, grants: [] }),
  apply: (state, event) => {
    if (event.type === 'policy.loaded') state.policy = event.data.sha256;
    if (event.run !== null) applyToRun(state, event.run, event);
    return state;
  },
};

function applyToRun(state: GivenState, run: string, event: Event): void {
  if (event.type === 'wait.opened' && event.data.for.kind === 'approval') {
    const { binding, expires, asked, aside } = event.data.for;
    const { wait, node } = event.data;
    const grant = asked?.grant ?? null;
    state.open[wait] = {
      run,
      node,
      binding,
      expires: expires ?? null,
      grant,
      ...(aside === undefined ? {} : { aside }),
    };
  } else if (event.type === 'wait.closed') applyClosedWait(state, run, event.data);
  else if (event.type === 'call.ended' && event.data.node !== null)
    drop(state.approved, (asking) => asking.run === run && asking.node === event.data.node);
  else if (event.type === 'run.ended') {
    drop(state.open, (asking) => asking.run === run);
    drop(state.approved, (asking) => asking.run === run);
    state.grants = state.grants.filter((grant) => grant.run !== run);
  }
}

function applyClosedWait(
  state: GivenState,
  run: string,
  { wait, answer }: Extract<Event, { type: 'wait.closed' }>['data'],
): void {
  const asking = state.open[wait];
  if (asking === undefined) return;
  delete state.open[wait];
  const named = answer.hosts === undefined ? {} : { hosts: answer.hosts };
  if (answer.verdict === 'approved') state.approved[wait] = { ...asking, ...named };
  if (answer.always !== true || asking.grant === null) return;
  const effect = answer.verdict === 'approved' ? 'allow' : 'deny';
  const reach = answer.hosts === undefined ? {} : { approvedHosts: answer.hosts };
  state.grants.push({ run, ...asking.grant, effect, by: answer.by ?? 'somebody', ...reach });
}

function drop(from: Record<string, Asking>, unwanted: (asking: Asking) => boolean): void {
  for (const wait in from) {
    const asking = from[wait];
    if (asking !== undefined && unwanted(asking)) delete from[wait];
  }
}

/** The answers that apply to the whole run. */
export function allowedInRun({ grants }: GivenState, run: string): readonly Given[] {
  return grants.filter((grant) => grant.run === run);
}

/** The unused approval with this binding; null if there is none. */
export function approvalFor(
  { approved }: GivenState,
  run: string,
  binding: string,
): Pick<Asking, 'expires' | 'aside' | 'hosts'> | null {
  return Object.values(approved).find((asking) => asking.run === run && asking.binding === binding) ?? null;
}
