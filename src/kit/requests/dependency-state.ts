/**
 * Owns: what the ledger says about tools: what is installed, what people have to install, how often a step was helped.
 * `.oka/tools/lock.json` is made from it.
 */
import type { Need, Receipt, Requirement } from '../../core/schema/dependency.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Projection } from '../../core/schema/ports.ts';

export type Installed = Receipt & { at: string; run: string | null; used: string | null };
export type OpenRequirement = Requirement & {
  status: 'open' | 'resolved';
  opened: string;
  settled: string | null;
  /** Which steps of which runs need it. */
  by: { run: string; node: string | null }[];
  /** What the last check found. */
  note: string | null;
};
export type Dependencies = {
  /** By installer and name, such as node:cowsay. */
  installed: Record<string, Installed>;
  /** Hash of every version that was ever installed. */
  integrity: Record<string, string>;
  requirements: Record<string, OpenRequirement>;
  /** How often the steps of runs that are not over were missing something: run, step, key of the need. */
  missed: Record<string, Record<string, Record<string, number>>>;
};

const MAX_BY = 20;

export const dependencies: Projection<Dependencies> = {
  name: 'dependencies',
  version: 1,
  types: [
    'dependency.installed',
    'dependency.removed',
    'requirement.opened',
    'requirement.resolved',
    'requirement.reopened',
    'call.started',
    'run.ended',
    'wait.opened',
  ],
  initial: () => ({ installed: {}, integrity: {}, requirements: {}, missed: {} }),
  apply: (state, event) => {
    applyEvent(state, event);
    return state;
  },
  render: ({ installed }): ReadonlyMap<string, string> =>
    Object.keys(installed).length === 0 ? new Map() : new Map([['tools/lock.json', lockText(installed)]]),
};

export const installedId = ({ by, name }: Pick<Receipt, 'by' | 'name'>): string => `${by}:${name}`;

/** Two needs for the same thing have the same key. */
export function needKey({ kind, name, package: from }: Pick<Need, 'kind' | 'name' | 'package'>): string {
  return from === undefined ? `${kind}:${name}` : `${kind}:${name}=${from}`;
}

/** How often a step was missing the same thing; and anything at all. */
export function countMissed(
  state: Dependencies,
  run: string,
  node: string | null,
  need: Need,
): { same: number; step: number; run: number } {
  const steps = state.missed[run] ?? {};
  const step = steps[node ?? ''] ?? {};
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((all, each) => all + each, 0);
  return {
    same: step[needKey(need)] ?? 0,
    step: sum(step),
    run: Object.values(steps).reduce((all, each) => all + sum(each), 0),
  };
}

function applyEvent(state: Dependencies, event: Event): void {
  if (event.type === 'dependency.installed') applyInstalled(state, event.data, event);
  else if (event.type === 'dependency.removed') delete state.installed[installedId(event.data)];
  else if (event.type === 'requirement.opened') applyOpened(state, event);
  else if (event.type === 'requirement.resolved')
    applyStatus(state, event.data.name, 'resolved', event.at, event.data.seen);
  else if (event.type === 'requirement.reopened')
    applyStatus(state, event.data.name, 'open', event.at, event.data.reason);
  else if (event.type === 'call.started' && event.data.tool === 'shell')
    applyUse(state, JSON.stringify(event.data.input), event.at);
  else if (event.run !== null && event.type === 'run.ended') delete state.missed[event.run];
  else if (event.run !== null && event.type === 'wait.opened' && event.data.for.kind === 'requirement') {
    if (event.data.for.need !== undefined) applyMissed(state, event.run, event.data.node, event.data.for.need);
  }
}

/** An environment that replaces another contains everything that was in it. */
function applyInstalled(state: Dependencies, receipt: Receipt, { at, run }: Event): void {
  const { folder, tree, bytes, replaces } = receipt;
  for (const each of Object.values(state.installed))
    if (replaces !== null && each.folder === replaces)
      Object.assign(each, { folder, tree, bytes, links: receipt.links });
  const used = state.installed[installedId(receipt)]?.used ?? null;
  state.installed[installedId(receipt)] = { ...receipt, at, run, used };
  for (const { name, version, integrity } of receipt.contains)
    state.integrity[`${receipt.by}:${name}@${version}`] = integrity;
}

function applyOpened(state: Dependencies, { run, at, data }: Extract<Event, { type: 'requirement.opened' }>): void {
  const { requirement, node } = data;
  const before = state.requirements[requirement.name];
  const by = before?.status === 'open' ? before.by.filter((each) => each.run !== run || each.node !== node) : [];
  if (run !== null) by.push({ run, node });
  state.requirements[requirement.name] = {
    ...requirement,
    status: 'open',
    opened: before?.status === 'open' ? before.opened : at,
    settled: null,
    by: by.slice(-MAX_BY),
    note: null,
  };
}

function applyStatus(
  state: Dependencies,
  name: string,
  status: OpenRequirement['status'],
  at: string,
  note: string,
): void {
  const asked = state.requirements[name];
  if (asked !== undefined) Object.assign(asked, { status, settled: status === 'resolved' ? at : null, note });
}

function applyMissed(state: Dependencies, run: string, node: string | null, need: Need): void {
  const steps = (state.missed[run] ??= {});
  const step = (steps[node ?? ''] ??= {});
  step[needKey(need)] = (step[needKey(need)] ?? 0) + 1;
}

/** A command that names a program uses the package it came in. */
function applyUse(state: Dependencies, input: string, at: string): void {
  for (const each of Object.values(state.installed))
    if (installedCommands(each).some((command) => mentionsCommand(input, command))) each.used = at;
}

function mentionsCommand(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!/[\w.-]/.test(text[at - 1] ?? ' ') && !/[\w.-]/.test(text[at + word.length] ?? ' ')) return true;
  return false;
}

/** Names under which a package can be used: its programs, and itself as a module. */
export function installedCommands({ commands, name }: Pick<Receipt, 'commands' | 'name'>): string[] {
  return [...new Set([...commands, name])];
}

function lockText(installedNow: Dependencies['installed']): string {
  const tools = Object.fromEntries(
    Object.entries(installedNow)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, { version, folder, integrity, tree, from, links, contains }]) => [
        id,
        { version, from, integrity, folder, tree, links, contains },
      ]),
  );
  return `${JSON.stringify({ lock: 1, tools }, null, 1)}\n`;
}
