/**
 * Owns: what becomes of a need: it is there, it is installed, or a person is asked for it; and everybody who waits for
 * it goes on.
 * Does not own: noticing needs (tools/deps/detect.ts), ways to meet them (decide.ts), installing (install.ts).
 *
 * N1 Nothing is held in memory that is not in the ledger: waits, installations (runs of their own) and requests.
 * N2 However many steps need the same package, it is installed once, and asked about once.
 * N3 A step that misses the same thing after it was brought is not helped again: a person is asked.
 * N4 What a person says is there is looked for before anybody goes on.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Drive } from '../../engine/drive.ts';
import { isOver, nodeNamed, type OpenWait, type RunState } from '../../engine/run-state.ts';
import { installGraph } from '../../graphs/install-package.ts';
import type { InstallInput, Need, Receipt } from '../../schema/dependency.ts';
import type { Tool } from '../../schema/tool.ts';
import type { WaitAnswer } from '../../schema/wait.ts';
import type { Remedy } from '../../tools/deps/choose-remedy.ts';
import { installTool } from '../../tools/deps/install-tool.ts';
import { dependencies, type Dependencies, installedId, countMissed } from '../../tools/deps/dependency-state.ts';
import { switchLinks, removeUnfinished } from '../../tools/deps/tool-links.ts';
import { writeShims } from '../../tools/deps/shims.ts';
import type { Diagnose } from '../../tools/middleware/heal.ts';
import { openRequirement, STILL_MISSED } from './open-requirement.ts';
import { callsFolder } from '../guard/sandbox.ts';
import { installerSetup } from './installer-setup.ts';
import { diagnoseWith } from './diagnose.ts';
import { installations } from './installs.ts';
import { requirementsPage } from './requirements-page.ts';
import { toolsLock } from './prune-tools.ts';
import { type DepsPorts, nameOf } from './deps-ports.ts';
import { type RequirementResolver, resolveRequirements } from './resolve-requirements.ts';
import { type NeedFinder, findNeeds } from './find-needs.ts';
import { type ToolRequests, toolRequests } from './tool-requests.ts';
import { versionOfWith } from './version-of.ts';

export type Deps = RequirementResolver &
  ToolRequests &
  Pick<NeedFinder, 'lacking'> & {
    tool: Tool;
    diagnose: Diagnose;
    provide: (run: RunState, wait: OpenWait) => Promise<WaitAnswer> | null;
    /** Told of every run that comes to rest. */
    runSettled: (run: RunState) => Promise<void>;
    /** Runs that wait for something that may be had without a person. */
    runsToResume: () => string[];
  };

/** Why a wait goes on: only a person can end it. */
class Parked extends Error {}

export function openDeps(ports: DepsPorts): Deps {
  const { home, ledger, projections } = ports;
  const tools = join(home.oka, 'tools');
  const known = (): Dependencies => projections.stateOf(dependencies);
  const settled = async (): Promise<Dependencies> => ledger.flush().then(known);
  const seeing = findNeeds(ports, known, versionOfWith(ports));
  const installs = installations(ports);
  const page = requirementsPage(home, known);
  const resolving = resolveRequirements(ports, { page, seeing, installs, settled, answerAll });
  /** Waits that somebody here sees to. */
  const seenTo = new Set<string>();
  makeReady();
  return {
    ...resolving,
    ...toolRequests(ports, seeing, installs, settled),
    lacking: seeing.lacking,
    tool: installTool({ tools, lock: toolsLock(home), context: () => installerSetup(ports), known: settled, record }),
    diagnose: diagnoseWith({
      home,
      way: seeing.way,
      missed: ({ run, node }, need) => countMissed(known(), run, node, need),
    }),
    provide,
    runSettled,
    runsToResume,
  };

  /** What a crash left half done is swept away, and every receipt has its links. */
  function makeReady(): void {
    writeShims(tools);
    const receipts = Object.values(known().installed);
    removeUnfinished(
      tools,
      receipts.map(({ folder }) => folder),
      isAnyCommandLeft(callsFolder(home)),
    );
    for (const { links, folder } of receipts) if (existsSync(join(tools, folder))) switchLinks(tools, links);
  }

  async function record(receipt: Receipt, run: string): Promise<void> {
    await ledger.append({ type: 'dependency.installed', run, data: receipt });
  }

  function provide(run: RunState, wait: OpenWait): Promise<WaitAnswer> | null {
    if (wait.for.kind !== 'requirement' || wait.for.need === undefined) return null;
    seenTo.add(wait.wait);
    return brought(run, wait, wait.for.need).finally(() => seenTo.delete(wait.wait));
  }

  async function brought(run: RunState, wait: OpenWait, need: Need): Promise<WaitAnswer> {
    const { same } = countMissed(await settled(), run.id, wait.node, need);
    const seen = await seeing.look(need);
    const way = seeing.way(need);
    if (same > 1) return ask(run, wait, need, way, `${STILL_MISSED} (${seen.seen})`); // N3
    if (seen.there && (need.version === undefined || need.kind === 'command' || need.vouched === 'operator'))
      return arrived(seen.seen);
    switch (way.kind) {
      case 'unknown':
        return { verdict: 'denied', text: way.advice, by: 'oka' };
      case 'person':
        return ask(run, wait, need, way, need.version === undefined ? way.reason : `${way.reason} ${seen.seen}.`);
      case 'install':
        return installed(run, wait, need, way);
    }
  }

  async function installed(
    run: RunState,
    wait: OpenWait,
    need: Need,
    way: Extract<Remedy, { kind: 'install' }>,
  ): Promise<WaitAnswer> {
    const id = installedId(way.input);
    const why = need.evidence === '' ? `${need.kind} ${need.name} is missing` : need.evidence;
    const end = await installs.once({ ...way.input, why, for_run: run.id });
    switch (end.kind) {
      case 'installed':
        return cameOf(run, wait, need, way);
      case 'refused':
        return { verdict: 'denied', text: `${id} is not installed: ${end.reason}`, by: 'oka' };
      case 'waiting':
        throw new Parked(end.reason);
      case 'failed':
        return ask(run, wait, need, way, `installing ${id} failed: ${end.reason}`);
    }
  }

  /** What was installed may bring a program that is still too old. */
  async function cameOf(
    run: RunState,
    wait: OpenWait,
    need: Need,
    way: Remedy & { kind: 'install' },
  ): Promise<WaitAnswer> {
    const seen = need.version === undefined ? null : await seeing.look(need);
    const text = `${installedId(way.input)} was installed`;
    return seen === null || seen.there ? arrived(text) : ask(run, wait, need, way, `${text}, but ${seen.seen}`);
  }

  /** A step with a fallback goes on with it; every other waits. */
  async function ask(run: RunState, wait: OpenWait, need: Need, way: Remedy, reason: string): Promise<WaitAnswer> {
    await openRequirement(ports, known(), { run: run.id, node: wait.node, need, way, reason });
    page.write();
    const text = `${nameOf(need)} is missing: ${reason}`;
    const node = run.configs[nodeNamed(run, wait.node) ?? -1];
    if (node?.on_error === 'fallback' && node.fallback !== undefined) return { verdict: 'denied', text, by: 'oka' };
    throw new Parked(text);
  }

  /** What was needed has come, for everybody who waits for it and whom nobody here sees to. */
  async function answerAll(isMeant: (need: Need) => boolean, answer: WaitAnswer): Promise<Drive[]> {
    const drives: Drive[] = [];
    for (const { run, wait, need } of openNeeds())
      if (!seenTo.has(wait) && isMeant(need)) drives.push(await ports.runs.answer(run, wait, answer));
    return drives;
  }

  function openNeeds(): { run: string; wait: string; need: Need }[] {
    return ports
      .taskGraph()
      .goals.flatMap(({ run, waits }) =>
        waits.flatMap(({ wait, for: on }) =>
          on.kind === 'requirement' && on.need !== undefined ? [{ run, wait, need: on.need }] : [],
        ),
      );
  }

  /** An installation that had to be asked about ends long after those who wait for it came to rest. */
  async function runSettled(run: RunState): Promise<void> {
    if (run.plan.graph.id !== installGraph.id || !isOver(run.status)) return;
    const input = run.input as unknown as InstallInput;
    const text =
      run.status === 'done'
        ? `${installedId(input)} was installed`
        : `${installedId(input)} is not installed: ${run.reason}`;
    const answer: WaitAnswer = run.status === 'done' ? arrived(text) : { verdict: 'denied', text, by: 'oka' };
    await answerAll((need) => seeing.isMetBy(need, input), answer);
    if (run.status === 'done') await resolving.notice();
  }

  function runsToResume(): string[] {
    const { requirements } = known();
    const isAPersons = (need: Need): boolean =>
      requirements[nameOf(need)]?.status === 'open' && seeing.way(need).kind !== 'install' && !seeing.sight(need).there;
    return [...new Set(openNeeds().flatMap(({ run, need }) => (isAPersons(need) ? [] : [run])))];
  }
}

const arrived = (text: string): WaitAnswer => ({ verdict: 'arrived', text, by: 'oka' });

/** Commands outlive a worker that was killed; their launchers keep a file open until they end. */
function isAnyCommandLeft(calls: string): boolean {
  return existsSync(calls) && readdirSync(calls).some((name) => name.endsWith('.tmp'));
}
