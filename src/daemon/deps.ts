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
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Drive } from '../engine/drive.ts';
import { isOver, nodeNamed, type OpenWait, type RunState } from '../engine/run-state.ts';
import { installGraph } from '../graphs/install.ts';
import type { InstallInput, Need } from '../schema/dependency.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import type { Outcome, Tool } from '../schema/tool.ts';
import type { WaitAnswer, WaitFor } from '../schema/wait.ts';
import { type Way, wayTo } from '../tools/deps/decide.ts';
import { dockerfileFor } from '../tools/deps/dockerfile.ts';
import { installTool } from '../tools/deps/install.ts';
import { dependencies, type Dependencies, idOf, missedBy } from '../tools/deps/kept.ts';
import { lead, sweep, unlead } from '../tools/deps/places.ts';
import { sightOf, type Sight } from '../tools/deps/present.ts';
import { needIn } from '../tools/deps/requires.ts';
import type { Diagnose } from '../tools/middleware/heal.ts';
import { benchOf } from './deps-bench.ts';
import { diagnoseWith } from './deps-diagnose.ts';
import { installsUnderWay } from './deps-installs.ts';
import { type RequirementsPage, requirementsPage } from './deps-page.ts';
import { type DepsPorts, nameOf } from './deps-ports.ts';
import { reachablePath } from './hold.ts';
import { commandEnvironment } from './settings.ts';

export type Deps = {
  tool: Tool;
  diagnose: Diagnose;
  provide: (run: RunState, wait: OpenWait) => Promise<WaitAnswer> | null;
  /** What a task says it needs and is not there, as the outcome that waits for it; null when all is there. */
  lacking: (requires: readonly string[]) => Outcome | null;
  /** Told of every run that comes to rest. */
  rested: (run: RunState) => Promise<void>;
  /** Runs that wait for something that can be brought without a person. */
  toTakeUp: () => string[];
  look: () => Promise<void>;
  resolve: (name: string, by: string) => Promise<Resolved>;
  /** The same; nobody waits for it. */
  resolveSoon: (name: string, by: string) => void;
  install: (what: string) => Promise<Drive>;
  /** The drive makes an environment anew, where one is shared. */
  remove: (what: string, reason: string) => Promise<Drive | null>;
};
export type Resolved = { there: boolean; seen: string; drives: Drive[] };

/** Why a wait goes on: only a person can end it. */
class Parked extends Error {}

export function depsOf(ports: DepsPorts): Deps {
  const { home, config, stores } = ports;
  const tools = join(home.oka, 'tools');
  const known = (): Dependencies => stores.projections.stateOf(dependencies);
  const settled = async (): Promise<Dependencies> => stores.ledger.flush().then(known);
  const installs = installsUnderWay(ports);
  const page: RequirementsPage = requirementsPage(home, known);
  /** Waits that somebody here sees to. */
  const seenTo = new Set<string>();
  makeReady();
  return {
    tool: installTool({
      tools,
      bench: () => benchOf(ports),
      known: settled,
      record: async (receipt, run) =>
        void (await stores.ledger.append({ type: 'dependency.installed', run, data: receipt })),
    }),
    diagnose: diagnoseWith({ home, way, missed: (call, need) => missedBy(known(), call.run, call.node, need) }),
    provide,
    lacking,
    rested,
    toTakeUp,
    look,
    resolve,
    resolveSoon,
    install,
    remove,
  };

  /** What a crash left half done is swept away, and every receipt has its links. */
  function makeReady(): void {
    if (!existsSync(tools)) return;
    const receipts = Object.values(known().installed);
    sweep(
      tools,
      receipts.map(({ folder }) => folder),
    );
    for (const { links, folder } of receipts) if (existsSync(join(tools, folder))) lead(tools, links);
  }

  function way(need: Need): Way {
    return wayTo(need, {
      machine: { os: process.platform, cpu: process.arch },
      binaries: Object.keys(config.tools.binaries),
    });
  }

  function sight(need: Need): Sight {
    const input = waysInput(need);
    const receipt = input === null ? undefined : known().installed[idOf(input)];
    if (receipt !== undefined && need.kind !== 'command' && existsSync(join(tools, receipt.folder)))
      return { there: true, seen: `${receipt.name} ${receipt.version} in .oka/tools/${receipt.folder}` };
    const { PATH = '', NODE_PATH = '' } = commandEnvironment(home);
    const path = config.sandbox === 'jail' ? reachablePath(home) : PATH;
    return sightOf(need, { path, python: join(tools, 'python'), modules: NODE_PATH });
  }

  function waysInput(need: Need): Pick<InstallInput, 'by' | 'name'> | null {
    const found = way(need);
    return found.kind === 'install' ? found.input : null;
  }

  function lacking(requires: readonly string[]): Outcome | null {
    for (const text of requires) {
      const need = needIn(text);
      if (need === null)
        return {
          status: 'failed',
          error: `requires: "${text}" cannot be read; write jq, node:prettier, python:PyYAML or apt:ffmpeg`,
          temporary: false,
        };
      if (!sight(need).there) return { status: 'waiting', for: awaited(need) };
    }
    return null;
  }

  function provide(run: RunState, wait: OpenWait): Promise<WaitAnswer> | null {
    if (wait.for.kind !== 'requirement' || wait.for.need === undefined) return null;
    seenTo.add(wait.wait);
    return brought(run, wait, wait.for.need).finally(() => seenTo.delete(wait.wait));
  }

  async function brought(run: RunState, wait: OpenWait, need: Need): Promise<WaitAnswer> {
    const { same } = missedBy(await settled(), run.id, wait.node, need);
    const isNew = same < 2;
    const seen = sight(need);
    if (isNew && seen.there && (need.version === undefined || need.vouched === 'operator')) return arrived(seen.seen);
    const found = way(need);
    if (!isNew)
      return ask(run, wait, need, found, `it was brought before, and the step still misses it (${seen.seen})`); // N3
    if (found.kind === 'unknown') return { verdict: 'denied', text: found.advice, by: 'oka' };
    if (found.kind === 'person') return ask(run, wait, need, found, found.reason);
    const end = await installs.once({ ...found.input, why: whyOf(need), for_run: run.id });
    switch (end.kind) {
      case 'installed':
        return arrived(`${idOf(found.input)} was installed`);
      case 'refused':
        return { verdict: 'denied', text: `${idOf(found.input)} is not installed: ${end.reason}`, by: 'oka' };
      case 'waiting':
        throw new Parked(end.reason);
      case 'failed':
        return ask(run, wait, need, found, `installing ${idOf(found.input)} failed: ${end.reason}`);
    }
  }

  /** Puts it on the page. A step with a fallback goes on with it; every other waits. */
  async function ask(run: RunState, wait: OpenWait, need: Need, found: Way, reason: string): Promise<WaitAnswer> {
    const name = nameOf(need);
    const before = known().requirements[name];
    const isKnown =
      before?.status === 'open' && before.by.some((each) => each.run === run.id && each.node === wait.node);
    if (!isKnown) {
      const packages = found.kind === 'person' ? found.packages : [];
      const requirement = { name, need, packages, snippet: snippetFor(need, found), reason: reason.slice(0, 4000) };
      await stores.ledger.append({ type: 'requirement.opened', run: run.id, data: { requirement, node: wait.node } });
    }
    page.write();
    const config_ = run.configs[nodeNamed(run, wait.node) ?? -1];
    const text = `${name} is missing: ${reason} It stands in INSTALL_REQUIREMENTS.md.`;
    if (config_?.on_error === 'fallback' && config_.fallback !== undefined)
      return { verdict: 'denied', text, by: 'oka' };
    throw new Parked(text);
  }

  /** What was asked for has come, for everybody who waits and whom nobody here sees to. */
  async function answerAll(isMeant: (need: Need) => boolean, answer: WaitAnswer): Promise<Drive[]> {
    const waits = stores.taskGraph().goals.flatMap(({ run, waits: open }) => open.map((wait) => ({ run, wait })));
    const drives: Drive[] = [];
    for (const { run, wait } of waits) {
      const need = wait.for.kind === 'requirement' ? wait.for.need : undefined;
      if (need === undefined || seenTo.has(wait.wait) || !isMeant(need)) continue;
      drives.push(await ports.engine().answer(run, wait.wait, answer));
    }
    return drives;
  }

  /** An installation that had to be asked about ended long after those who wait for it came to rest. */
  async function rested(run: RunState): Promise<void> {
    if (run.plan.graph.id !== installGraph.id || !isOver(run.status)) return;
    const id = idOf(run.input as unknown as InstallInput);
    const isMeant = (need: Need): boolean => {
      const input = waysInput(need);
      return input !== null && idOf(input) === id;
    };
    if (run.status === 'done') await answerAll(isMeant, arrived(`${id} was installed`));
    else await answerAll(isMeant, { verdict: 'denied', text: `${id} is not installed: ${run.reason}`, by: 'oka' });
  }

  function toTakeUp(): string[] {
    const { requirements } = known();
    const isParked = (need: Need): boolean =>
      requirements[nameOf(need)]?.status === 'open' && way(need).kind !== 'install' && !sight(need).there;
    return stores
      .taskGraph()
      .goals.flatMap(({ run, waits }) =>
        waits.some(({ for: on }) => on.kind === 'requirement' && on.need !== undefined && !isParked(on.need))
          ? [run]
          : [],
      );
  }

  async function look(): Promise<void> {
    const looked = page.look();
    if (looked.problem !== null)
      await stores.ledger.append({
        type: 'intake.rejected',
        data: { name: 'INSTALL_REQUIREMENTS.md', reason: looked.problem },
      });
    for (const { name, id } of looked.resolved) {
      const intake = { kind: 'resolve', name, by: 'INSTALL_REQUIREMENTS.md' } as const;
      await stores.ledger.append({ type: 'intake.received', data: { id, intake } });
      resolveSoon(name, 'INSTALL_REQUIREMENTS.md');
    }
    page.write();
  }

  function resolveSoon(name: string, by: string): void {
    resolve(name, by).catch((error: unknown) =>
      stores.ledger.append({
        type: 'intake.rejected',
        data: { name: 'resolve', reason: messageOf(error).slice(0, 10_000) },
      }),
    );
  }

  /** N4 */
  async function resolve(name: string, by: string): Promise<Resolved> {
    const asked = (await settled()).requirements[name];
    if (asked === undefined)
      throw new OkaError('usage', `nothing called "${name}" is needed`, { fix: 'See what is: oka requirements' });
    const seen = await lookedFor(asked.need);
    if (asked.status === 'resolved') return { ...seen, drives: [] };
    if (!seen.there) {
      await stores.ledger.append({ type: 'requirement.reopened', data: { name, by, reason: seen.seen } });
      page.write();
      return { ...seen, drives: [] };
    }
    await stores.ledger.append({ type: 'requirement.resolved', data: { name, by, seen: seen.seen.slice(0, 2000) } });
    page.write();
    const drives = await answerAll((need) => nameOf(need) === name, { ...arrived(seen.seen), by });
    return { ...seen, drives };
  }

  /** What can be installed is tried again. */
  async function lookedFor(need: Need): Promise<Sight> {
    const seen = sight(need);
    const found = way(need);
    if (seen.there || found.kind !== 'install') return seen;
    const end = await installs.once({ ...found.input, why: whyOf(need), for_run: null });
    return end.kind === 'installed'
      ? { there: true, seen: `${idOf(found.input)} was installed` }
      : { there: false, seen: end.reason };
  }

  async function install(what: string): Promise<Drive> {
    const need = needIn(what);
    if (need === null)
      throw new OkaError('usage', `"${what}" cannot be read`, { fix: 'Write jq, node:prettier@3 or python:PyYAML.' });
    const found = way(need);
    if (found.kind === 'person')
      throw new OkaError('refused', `${what}: ${found.reason}`, {
        fix: `Put this into the Dockerfile:\n${snippetFor(need, found)}`,
      });
    if (found.kind === 'unknown') throw new OkaError('usage', found.advice);
    return installs.start({ ...found.input, vouched: 'operator', why: 'a person asked for it', for_run: null });
  }

  async function remove(what: string, reason: string): Promise<Drive | null> {
    const { installed } = await settled();
    const receipt = installed[what] ?? Object.values(installed).find(({ name }) => name === what);
    if (receipt === undefined)
      throw new OkaError('usage', `"${what}" is not installed`, { fix: 'See what is: oka tools list' });
    const { by, name, version, links, folder } = receipt;
    await stores.ledger.append({ type: 'dependency.removed', data: { by, name, version, reason } });
    const rest = Object.values((await settled()).installed).find((each) => each.folder === folder);
    if (rest !== undefined)
      return installs.start({
        by: rest.by,
        name: rest.name,
        version: rest.version,
        vouched: 'operator',
        why: rest.why,
        for_run: rest.for_run,
      });
    unlead(tools, links);
    rmSync(join(tools, folder), { recursive: true, force: true });
    return null;
  }
}

function awaited(need: Need): WaitFor {
  return { kind: 'requirement', name: nameOf(need), need };
}

const arrived = (text: string): WaitAnswer => ({ verdict: 'arrived', text, by: 'oka' });

function whyOf(need: Need): string {
  return need.evidence === '' ? `${need.kind} ${need.name} is missing` : need.evidence.slice(0, 1000);
}

function snippetFor(need: Need, found: Way): string {
  if (found.kind === 'install' && found.input.by === 'node')
    return `RUN npm install --global ${quotedName(found.input.name)}`;
  if (found.kind === 'install' && found.input.by === 'python')
    return `RUN python3 -m pip install --break-system-packages ${quotedName(found.input.name)}`;
  return dockerfileFor([{ need, packages: found.kind === 'person' ? found.packages : [] }]);
}

const quotedName = (name: string): string => name.replaceAll(/[^\w@/.+-]/g, '');
