/** What the dependency manager needs from around it. */
import type { Config } from '../../core/schema/config.ts';
import type { Need } from '../../core/schema/dependency.ts';
import type { LoadedPolicy } from '../../kit/policy/policy-file.ts';
import type { Sandbox } from '../../kit/sandbox/sandbox.ts';
import type { LedgerPort, ProjectionsPort, Runs } from '../../kit/ports/port-types.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { Home } from '../../core/schema/home.ts';

export type DepsPorts = {
  home: Home;
  config: Config;
  ledger: Pick<LedgerPort, 'append' | 'flush'>;
  projections: ProjectionsPort;
  taskGraph: () => TaskGraph;
  policy: () => LoadedPolicy;
  sandbox: Pick<Sandbox, 'forInstaller' | 'forVersionCheck'>;
  runs: Pick<Runs, 'start' | 'resume' | 'answer' | 'eventsOf'>;
};

/** What something is called in INSTALL_REQUIREMENTS.md. */
export function nameOf({ name, package: from }: Need): string {
  return from?.startsWith('apt:') === true ? from.slice(4) : name;
}
