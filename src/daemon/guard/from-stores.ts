/** Owns: by what the calls of a process are judged, and how they come by secrets, out of its stores. */
import { given, type GivenState } from '../../guard/granted-approvals.ts';
import type { NewEvent } from '../../schema/event.ts';
import type { ChainOptions } from '../../tools/chain.ts';
import { revealFrom } from '../../tools/reveal.ts';
import type { Stores } from '../stores.ts';
import type { LoadedPolicy } from './policy-file.ts';

export type Rules = {
  policy: () => LoadedPolicy;
  given: () => Promise<GivenState>;
  known: () => GivenState;
};

/** What people have allowed; asked for in an attempt, everything that was written before it counts. */
export function rulesOf({ ledger, projections }: Stores, policy: () => LoadedPolicy): Rules {
  const known = (): GivenState => projections.stateOf(given);
  return { policy, known, given: async () => ledger.flush().then(known) };
}

/** Values for single calls, each use on disk before the tool runs. */
export function secretsOf({ vault, ledger }: Stores): Pick<ChainOptions, 'reveal' | 'redact'> {
  const record = (events: readonly NewEvent[]): Promise<unknown> => ledger.append(events);
  return { reveal: revealFrom({ find: vault.find, record }), redact: vault.redactCut };
}
