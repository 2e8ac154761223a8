/** A home whose packages come from a registry on this machine, and runs that need them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunState } from '../../src/core/engine/run-state.ts';
import type { Deps } from '../../src/kit/ports/dependencies-port.ts';
import { type Host, withHost } from '../../src/kit/house/host.ts';
import { ports } from '../../src/kit/ports/room-ports.ts';
import { homeAt } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Event, EventType } from '../../src/core/schema/event.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import { temporaryFolder } from './cli.ts';
import { openRegistry, type Published, type Registry } from './registry.ts';

export type Workshop = AsyncDisposable & { home: Home; registry: Registry };

/** npm and pip are asked in this process's environment for their settings. */
export async function workshop(packages: readonly Published[], config: object = {}): Promise<Workshop> {
  const folder = temporaryFolder();
  const registry = await openRegistry(packages);
  const home = homeAt(folder.dir);
  setUp(home);
  writeFileSync(home.config, JSON.stringify(config));
  Object.assign(process.env, {
    npm_config_registry: registry.url,
    npm_config_userconfig: '/dev/null',
    PIP_CONFIG_FILE: '/dev/null',
    PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
  });
  for (const name of ['PIP_EXTRA_INDEX_URL', 'PIP_FIND_LINKS']) delete process.env[name];
  return {
    home,
    registry,
    [Symbol.asyncDispose]: async () => {
      await registry.close();
      folder[Symbol.dispose]();
    },
  };
}

const never = new AbortController().signal;

export const open = <T>(home: Home, work: (host: Host) => Promise<T>): Promise<T> => withHost(home, never, work);

/** A run of one step; `more` are fields of its node. */
export function step(line: string, more: object = {}): Graph {
  return Graph.parse({
    id: 'step',
    nodes: [{ kind: 'tool', id: 'step', tool: 'shell', input: { line }, timeout_seconds: 60, max_retries: 0, ...more }],
  });
}

/** The dependency manager of an open home. */
export const depsOf = ({ valuesOf }: Host): Deps => valuesOf({ deps: ports.deps }).deps;

export async function ran(host: Host, graph: Graph, id: string): Promise<RunState> {
  return (await host.engine.start(graph, { id })).done;
}

export async function eventsOf<T extends EventType>(home: Home, type: T): Promise<Extract<Event, { type: T }>[]> {
  const found: Extract<Event, { type: T }>[] = [];
  for await (const event of readEvents(home.ledgers.run))
    if (event.type === type) found.push(event as unknown as Extract<Event, { type: T }>);
  return found;
}

export const page = (home: Home): string => readFileSync(join(home.workspace, 'INSTALL_REQUIREMENTS.md'), 'utf8');

/** A person edits the page. */
export function edit(home: Home, change: (text: string) => string): void {
  writeFileSync(join(home.workspace, 'INSTALL_REQUIREMENTS.md'), change(page(home)));
}

export function allow(home: Home, rules: string): void {
  const text = readFileSync(home.policy, 'utf8');
  writeFileSync(home.policy, text.replace('rules: []', rules));
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries += 1) {
    if (tries > 2400) throw new Error('it did not become so within a minute');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
