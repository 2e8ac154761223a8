/** Installations as runs: one for each package, however many steps want it; one that waits for a person is resumed. */
import { hash } from 'node:crypto';
import type { Drive } from '../../core/engine/drive.ts';
import type { RunState } from '../../core/engine/run-state.ts';
import { installGraph } from './install-package.ts';
import type { InstallInput } from '../../core/schema/dependency.ts';
import type { Json } from '../../core/schema/json.ts';
import { installedId } from '../../kit/requests/dependency-state.ts';
import type { DepsPorts } from './deps-ports.ts';

type End = { kind: 'installed' } | { kind: 'refused' | 'waiting' | 'failed'; reason: string };

export type Installs = {
  /** The end of the installation that is in progress, or of a new one. */
  once: (input: InstallInput) => Promise<End>;
  start: (input: InstallInput) => Promise<Drive>;
};

export function installations({ runs, taskGraph, policy }: DepsPorts): Installs {
  const inProgress = new Map<string, Promise<End>>();
  return { once, start };

  function once(input: InstallInput): Promise<End> {
    const key = installedId(input);
    const end = inProgress.get(key) ?? runToEnd(input).finally(() => inProgress.delete(key));
    inProgress.set(key, end);
    return end;
  }

  async function runToEnd(input: InstallInput): Promise<End> {
    return endOf(await (await start(input)).done);
  }

  async function start(input: InstallInput): Promise<Drive> {
    const name = runName(input);
    const open = taskGraph().goals.find(({ run }) => run.startsWith(`${name}-`));
    if (open !== undefined) return runs.resume(open.run, { reason: `${installedId(input)} is needed` });
    return runs.start(installGraph, {
      id: `${name}-${Date.now().toString(36)}`,
      title: `Install ${input.name} (${input.by})`,
      input: JSON.parse(JSON.stringify(input)) as Json,
      budgets: policy().policy.budgets,
    });
  }

  async function endOf(run: RunState): Promise<End> {
    switch (run.status) {
      case 'done':
        return { kind: 'installed' };
      case 'failed':
      case 'cancelled':
        return { kind: (await wasRefused(run.id)) ? 'refused' : 'failed', reason: run.reason };
      case 'blocked':
      case 'paused':
      case 'running':
        return { kind: 'waiting', reason: `${run.title} waits: ${run.id}` };
    }
  }

  /** Whether the policy or a person refused it. */
  async function wasRefused(id: string): Promise<boolean> {
    const events = await runs.eventsOf(id);
    return events.some(
      ({ type, data }) =>
        (type === 'call.ended' && data.status === 'denied') ||
        (type === 'wait.closed' && data.answer.verdict !== 'approved' && data.answer.verdict !== 'arrived') ||
        (type === 'run.ended' && data.status === 'cancelled'),
    );
  }
}

/** Different packages get different names, and a package gets the same name at every start. */
function runName(input: InstallInput): string {
  const id = installedId(input);
  return `install-${id.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 60)}-${hash('sha256', id).slice(0, 6)}`;
}
