/**
 * Owns: the dependency manager: it provides what steps need, and resumes every run that waits for it.
 * Does not own: detecting needs (rooms/dependencies/install/detect.ts), choosing a remedy (choose-remedy.ts), installing (install-tool.ts),
 * what happens to one need (provide-need.ts), what people report as resolved (resolve-requirements.ts).
 *
 * N1 All state is in the ledger: waits, installations (runs of their own) and requests.
 * N2 However many steps need the same package, it is installed once, and asked about once.
 * N3 A step that misses the same thing after it was provided is not helped again: a person is asked.
 * N4 What a person reports as installed is checked before any run resumes.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Drive } from '../../core/engine/drive.ts';
import { isOver, type RunState } from '../../core/engine/run-state.ts';
import { installGraph } from './install-package.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { InstallInput, Need, Receipt } from '../../core/schema/dependency.ts';
import { isFenced } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { WaitAnswer } from '../../core/schema/wait.ts';
import { installTool } from './install/install-tool.ts';
import { dependencies, type Dependencies, installedId, countMissed } from '../../kit/requests/dependency-state.ts';
import { switchLinks, removeUnfinished } from '../../kit/sandbox/tool-links.ts';
import { writeShims } from './install/shims.ts';
import { callsFolder } from '../../kit/sandbox/sandbox.ts';
import { installerSetup } from './installer-setup.ts';
import { diagnoseWith } from './diagnose.ts';
import { installations } from './installs.ts';
import { requirementsPage } from './requirements-page.ts';
import { toolsLock } from './prune-tools.ts';
import { type DepsPorts, nameOf } from './deps-ports.ts';
import { answerArrived, answerDenied, needProvider } from './provide-need.ts';
import { resolveRequirements } from './resolve-requirements.ts';
import { findNeeds } from './find-needs.ts';
import { toolRequests } from './tool-requests.ts';
import { versionOfWith } from './version-of.ts';
import type { Deps } from '../../kit/ports/dependencies-port.ts';

export function openDeps(ports: DepsPorts): Deps {
  const { home, ledger, projections } = ports;
  const tools = join(home.oka, 'tools');
  const known = (): Dependencies => projections.stateOf(dependencies);
  const durable = async (): Promise<Dependencies> => ledger.flush().then(known);
  const finder = findNeeds(ports, known, versionOfWith(ports));
  const installs = installations(ports);
  const page = requirementsPage(home, known);
  const provider = needProvider(ports, { finder, installs, page, known, durable });
  const resolver = resolveRequirements(ports, { page, finder, installs, durable, answerAll });
  prepareTools(home, Object.values(known().installed));
  return {
    ...resolver,
    ...toolRequests(ports, finder, installs, durable),
    waitForMissing: finder.waitForMissing,
    detect: finder.detect,
    tool: installTool({ tools, lock: toolsLock(home), context: () => installerSetup(ports), known: durable, record }),
    diagnose: diagnoseWith({
      home,
      remedyFor: finder.remedyFor,
      countMissed: ({ run, node }, need) => countMissed(known(), run, node, need),
    }),
    provide: provider.provide,
    installedFor: async (runs) =>
      Object.values((await durable()).installed).filter(({ for_run }) => for_run !== null && runs.includes(for_run)),
    runSettled,
    runsToResume,
  };

  async function record(receipt: Receipt, run: string): Promise<void> {
    await ledger.append({ type: 'dependency.installed', run, data: receipt });
  }

  /** Answers every open wait for such a need, except those that the provider is already answering. */
  async function answerAll(isMet: (need: Need) => boolean, answer: WaitAnswer): Promise<Drive[]> {
    const drives: Drive[] = [];
    for (const { run, wait, need } of openNeeds(ports.taskGraph()))
      if (!provider.isProviding(wait) && isMet(need)) {
        const drive = await ports.runs.answer(run, wait, answer).catch(nullIfFenced);
        if (drive !== null) drives.push(drive);
      }
    return drives;
  }

  /** An installation that needed an approval ends long after the runs that wait for it were parked. */
  async function runSettled(run: RunState): Promise<void> {
    if (run.plan.graph.id !== installGraph.id || !isOver(run.status)) return;
    const input = run.input as unknown as InstallInput;
    const isDone = run.status === 'done';
    const answer = isDone
      ? answerArrived(`${installedId(input)} was installed`)
      : answerDenied(`${installedId(input)} is not installed: ${run.reason}`);
    await answerAll((need) => finder.isMetBy(need, input), answer);
    if (isDone) await resolver.notice();
  }

  function runsToResume(): string[] {
    const { requirements } = known();
    const needsPerson = (need: Need): boolean =>
      requirements[nameOf(need)]?.status === 'open' &&
      finder.remedyFor(need).kind !== 'install' &&
      !finder.detect(need).there;
    return [...new Set(openNeeds(ports.taskGraph()).flatMap(({ run, need }) => (needsPerson(need) ? [] : [run])))];
  }
}

/** A run that another member of a fleet owns by now has its answer there; it does not concern the others. */
function nullIfFenced(error: unknown): null {
  if (!isFenced(error)) throw error;
  return null;
}

function openNeeds({ goals }: TaskGraph): { run: string; wait: string; need: Need }[] {
  return goals.flatMap(({ run, waits }) =>
    waits.flatMap(({ wait, for: on }) =>
      on.kind === 'requirement' && on.need !== undefined ? [{ run, wait, need: on.need }] : [],
    ),
  );
}

/** Removes what a crash left unfinished, and links everything that is installed. */
function prepareTools(home: Home, receipts: readonly Receipt[]): void {
  const tools = join(home.oka, 'tools');
  writeShims(tools);
  const folders = receipts.map(({ folder }) => folder);
  removeUnfinished(tools, folders, isAnyCommandLeft(callsFolder(home)));
  for (const { links, folder } of receipts) if (existsSync(join(tools, folder))) switchLinks(tools, links);
}

/** Commands outlive a worker that was killed; their launchers leave a file open until they end. */
function isAnyCommandLeft(calls: string): boolean {
  return existsSync(calls) && readdirSync(calls).some((name) => name.endsWith('.tmp'));
}
