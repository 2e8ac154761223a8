/** Owns: by which rules the calls of a process are judged, and how calls get secrets. */
import { given, type GivenState } from '../../core/guard/granted-approvals.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { ChainOptions } from '../../core/chain/chain.ts';
import { createRestore, type FindOriginal } from '../../core/chain/restore-originals.ts';
import { createReveal } from '../../core/chain/reveal-secrets.ts';
import type { LedgerPort, ProjectionsPort } from '../ports/port-types.ts';
import type { GuardPorts } from './create-guard.ts';
import { type FlowPorts, flowOfRun } from './run-flow.ts';
import type { Flow } from '../../core/guard/information-flow.ts';
import type { HomeVault } from '../vault/home-vault.ts';
import type { LoadedPolicy } from './policy-file.ts';

export type Rules = {
  policy: () => LoadedPolicy;
  given: () => Promise<GivenState>;
  known: () => GivenState;
  /** What a run has read so far; left out where nothing runs. */
  flow?: (run: string) => Promise<Flow>;
  /** What helps a person to decide; left out where nobody is asked. */
  tellMore?: NonNullable<GuardPorts['tellMore']>;
};

type RulePorts = Pick<FlowPorts, 'events' | 'artifacts'> & {
  ledger: Pick<LedgerPort, 'flush'>;
  projections: ProjectionsPort;
};

/** What people have allowed; when a call asks, everything that was written before it counts. */
export function rulesOf({ ledger, projections, ...stores }: RulePorts, policy: () => LoadedPolicy): Rules {
  const known = (): GivenState => projections.stateOf(given);
  const { events, artifacts } = stores;
  const flowPorts = { events, artifacts, flush: () => ledger.flush(), policy: () => policy().policy };
  return {
    policy,
    known,
    given: async () => ledger.flush().then(known),
    flow: (run) => flowOfRun(flowPorts, run),
    tellMore: async (...about) => (await import('./find-for-person.ts')).tellMore(flowPorts, ...about),
  };
}

type SecretPorts = {
  vault: Pick<HomeVault, 'find' | 'redactCut' | 'originals'>;
  ledger: Pick<LedgerPort, 'append'>;
};

/** Values for single calls, each use on disk before the tool runs; and texts as they were written. */
export function secretsOf(
  { vault, ledger }: SecretPorts,
  parentOf: (run: string) => Promise<string | null>,
): Pick<ChainOptions, 'reveal' | 'redact' | 'restore'> {
  const record = (events: readonly NewEvent[]): Promise<unknown> => ledger.append(events);
  return {
    reveal: createReveal({ find: vault.find, record }),
    redact: vault.redactCut,
    restore: createRestore((call, masked) => findOriginal(vault.originals, call, masked, parentOf)),
  };
}

/** The steps of a task run inside its run, for which its originals are stored. */
async function findOriginal(
  originals: HomeVault['originals'],
  { run, node }: Parameters<FindOriginal>[0],
  masked: string,
  parentOf: (run: string) => Promise<string | null>,
): Promise<string | null> {
  for (let at: string | null = run; at !== null; at = await parentOf(at)) {
    const original = await originals.unseal(at, masked, node);
    if (original !== null) return original;
  }
  return null;
}
