/**
 * Owns: the guard of a home while a process owns the pen: the active policy, changes of the vault, approvals.
 *
 * H3 Nothing runs before the policy is read and its hash is in the ledger.
 */
import { join } from 'node:path';
import type { RunState } from '../../core/engine/run-state.ts';
import { given } from '../../core/guard/granted-approvals.ts';
import { runOfWait, type TaskGraph } from '../../core/ledger/task-graph.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ExecutionBackend } from '../../core/schema/ports.ts';
import type { OpenedRoom } from '../../core/schema/room.ts';
import { ownershipOf, withoutUnclaimed } from '../../kit/fleet/assert-owned.ts';
import type { FleetPort } from '../../kit/ports/fleet-port.ts';
import type { ports } from '../../kit/ports/room-ports.ts';
import type { LedgerPort, ProjectionsPort, Runs } from '../../kit/ports/port-types.ts';
import { approvalPages, assertAnswer, openApprovals } from './approval-pages.ts';
import { lineClassifierOf } from '../../kit/policy/classifier.ts';
import { openDayBudget } from './open-day-budget.ts';
import type { HomeVault } from '../../kit/vault/home-vault.ts';
import { type LoadedPolicy, openPolicy } from '../../kit/policy/policy-file.ts';

type GuardRoomPorts = {
  home: Home;
  ledger: Pick<LedgerPort, 'append'>;
  projections: ProjectionsPort;
  taskGraph: () => TaskGraph;
  vault: Pick<HomeVault, 'refresh' | 'originals'>;
  runs: Pick<Runs, 'answer'>;
  backend: Pick<ExecutionBackend, 'capabilities'>;
  fleet: FleetPort | null;
};

export async function openGuard(
  around: GuardRoomPorts,
): Promise<OpenedRoom<RunState, { policy: typeof ports.policy; dayBudget: typeof ports.dayBudget }>> {
  const { home, ledger, projections, taskGraph, vault, runs, backend, fleet } = around;
  const file = openPolicy(home.policy, lineClassifierOf(home));
  const pages = approvalPages({
    folder: join(home.oka, 'approvals'),
    open: () => openApprovals(taskGraph()),
    mayAnswer: ({ run }) => ownershipOf(projections, fleet, run) !== 'unclaimed',
    answer: (open, answer) => runs.answer(open.run, open.wait, answer),
    refuse: (wait, reason) => ledger.append({ type: 'answer.refused', data: { wait, reason } }),
    clock: Date.now,
  });
  const dayBudget = openDayBudget({
    ledger,
    projections,
    policy: file.now,
    taskGraph: () => withoutUnclaimed(taskGraph(), projections, fleet),
    runs,
    backend,
    fleet,
    clock: Date.now,
  });
  await record(file.now());
  vault.originals.sweep(Date.now());
  return {
    gives: { policy: file.now, dayBudget },
    intakes: {
      answer: async ({ wait, answer }) => {
        await assertAnswer(taskGraph(), ledger, wait, answer, Date.now());
        return runs.answer(runOfWait(wait, taskGraph()), wait, answer);
      },
      write_rules: async (intake) => (await import('./write-rules.ts')).writeRules(home, intake),
      vault: async () => (await import('./vault-recipient.ts')).offerRecipient(home),
    },
    refresh: async () => {
      await refreshPolicy();
      for (const data of await vault.refresh()) await ledger.append({ type: 'secret.changed', data });
    },
    /** A failed run may be continued, so its originals stay for a while. */
    runSettled: async ({ id, status }) => {
      if (status === 'done' || status === 'cancelled') vault.originals.forget(id);
    },
    poll: async ({ isStopped }) => {
      if (isStopped) return pages.show();
      await pages.poll();
      await dayBudget.poll();
    },
    close: () => pages.show(),
  };

  /** H3. The same policy is not recorded twice. */
  async function record({ sha256, policy }: LoadedPolicy): Promise<void> {
    if (projections.stateOf(given).policy === sha256) return;
    const { rules, day_budget } = policy;
    const limits = day_budget === undefined ? {} : { day_budget };
    await ledger.append({ type: 'policy.loaded', data: { sha256, rules: rules.length, ...limits } });
  }

  async function refreshPolicy(): Promise<void> {
    const polled = file.poll();
    if (polled.kind === 'loaded') {
      await record(polled);
      file.activate(polled);
    } else if (polled.kind === 'invalid')
      await ledger.append({ type: 'intake.rejected', data: { name: 'POLICY.md', reason: polled.reason } });
  }
}
