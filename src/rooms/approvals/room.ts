/** What the guard of a home contributes: the active policy, approvals and their pages, the vault's changes. */
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, ledger, projections, taskGraph, vault, runs, backend, policy, dayBudget } = ports;

export const homeGuard = defineRoom({
  name: 'rooms/approvals',
  events: ['policy.loaded', 'budget.reserved', 'budget.low', 'secret.changed', 'answer.refused', 'intake.rejected'],
  check: async (at) => {
    const [{ loadPolicy }, { lineClassifierOf }] = await Promise.all([
      import('../../kit/policy/policy-file.ts'),
      import('../../kit/policy/classifier.ts'),
    ]);
    loadPolicy(at.policy, lineClassifierOf(at));
  },
  findings: async (at, { mayOpenVault }) => {
    const [{ policyFinding }, { sandboxFindings }, { vaultFinding }] = await Promise.all([
      import('./policy-finding.ts'),
      import('./sandbox-findings.ts'),
      import('./vault-finding.ts'),
    ]);
    return [await policyFinding(at), ...(await sandboxFindings(at)), await vaultFinding(at, mayOpenVault)];
  },
  needs: { home, ledger, projections, taskGraph, vault, runs, backend, fleet: ports.fleet },
  gives: { policy, dayBudget },
  open: async (needed) => (await import('./open-guard.ts')).openGuard(needed),
});
