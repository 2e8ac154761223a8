/**
 * Owns: what happens when a step waits for something it needs: it is there already, it is installed, or a person is asked.
 *
 * P1 A step that misses the same thing after it was provided is not helped again: a person is asked.
 * P2 A step with a fallback continues with that instead of waiting for a person.
 */
import { nodeNamed, type OpenWait, type RunState } from '../../core/engine/run-state.ts';
import type { Need } from '../../core/schema/dependency.ts';
import type { WaitAnswer } from '../../core/schema/wait.ts';
import type { Remedy } from './install/choose-remedy.ts';
import { countMissed, type Dependencies, installedId } from '../../kit/requests/dependency-state.ts';
import { type DepsPorts, nameOf } from './deps-ports.ts';
import type { NeedChecks } from './find-needs.ts';
import type { Installs } from './installs.ts';
import { openRequirement, STILL_MISSED } from './open-requirement.ts';
import type { RequirementsPage } from './requirements-page.ts';
import type { NeedProvider } from '../../kit/ports/dependencies-port.ts';

type ProviderParts = {
  finder: NeedChecks;
  installs: Installs;
  page: RequirementsPage;
  /** The dependencies as of the last event. */
  known: () => Dependencies;
  /** The same once everything appended so far is durable. */
  durable: () => Promise<Dependencies>;
};

type Waiting = { run: RunState; wait: OpenWait; need: Need };
type InstallRemedy = Extract<Remedy, { kind: 'install' }>;

/** The wait stays open, since only a person can end it. */
class Parked extends Error {}

export function needProvider(ports: Pick<DepsPorts, 'ledger'>, parts: ProviderParts): NeedProvider {
  const { finder, installs, page, known, durable } = parts;
  const active = new Set<string>();
  return { provide, isProviding: (wait) => active.has(wait) };

  function provide(run: RunState, wait: OpenWait): Promise<WaitAnswer> | null {
    if (wait.for.kind !== 'requirement' || wait.for.need === undefined) return null;
    active.add(wait.wait);
    return answerNeed({ run, wait, need: wait.for.need }).finally(() => active.delete(wait.wait));
  }

  async function answerNeed(waiting: Waiting): Promise<WaitAnswer> {
    const { run, wait, need } = waiting;
    const { same } = countMissed(await durable(), run.id, wait.node, need);
    const { there, seen } = await finder.check(need);
    const remedy = finder.remedyFor(need);
    if (same > 1) return askPerson(waiting, remedy, `${STILL_MISSED} (${seen})`);
    if (there && (need.version === undefined || need.kind === 'command' || need.vouched === 'operator'))
      return answerArrived(seen);
    switch (remedy.kind) {
      case 'unknown':
        return answerDenied(remedy.advice);
      case 'person':
        return askPerson(waiting, remedy, need.version === undefined ? remedy.reason : `${remedy.reason} ${seen}.`);
      case 'install':
        return install(waiting, remedy);
    }
  }

  async function install(waiting: Waiting, remedy: InstallRemedy): Promise<WaitAnswer> {
    const { run, need } = waiting;
    const id = installedId(remedy.input);
    const why = need.evidence === '' ? `${need.kind} ${need.name} is missing` : need.evidence;
    const end = await installs.once({ ...remedy.input, why, for_run: run.id });
    switch (end.kind) {
      case 'installed':
        return checkInstalled(waiting, remedy);
      case 'refused':
        return answerDenied(`${id} is not installed: ${end.reason}`);
      case 'waiting':
        throw new Parked(end.reason);
      case 'failed':
        return askPerson(waiting, remedy, `installing ${id} failed: ${end.reason}`);
    }
  }

  /** The package may contain a program that is still too old. */
  async function checkInstalled(waiting: Waiting, remedy: InstallRemedy): Promise<WaitAnswer> {
    const { need } = waiting;
    const text = `${installedId(remedy.input)} was installed`;
    const { there, seen } = need.version === undefined ? { there: true, seen: '' } : await finder.check(need);
    return there ? answerArrived(text) : askPerson(waiting, remedy, `${text}, but ${seen}`);
  }

  async function askPerson({ run, wait, need }: Waiting, remedy: Remedy, reason: string): Promise<WaitAnswer> {
    await openRequirement(ports, known(), { run: run.id, node: wait.node, need, remedy, reason });
    page.write();
    const text = `${nameOf(need)} is missing: ${reason}`;
    const node = run.configs[nodeNamed(run, wait.node) ?? -1];
    if (node?.on_error === 'fallback' && node.fallback !== undefined) return answerDenied(text);
    throw new Parked(text);
  }
}

export const answerArrived = (text: string): WaitAnswer => ({ verdict: 'arrived', text, by: 'oka' });
export const answerDenied = (text: string): WaitAnswer => ({ verdict: 'denied', text, by: 'oka' });
