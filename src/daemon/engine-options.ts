/** Owns: the engine of a home without its stores: the tools, what is done around them, and the chain. */
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { EngineOptions } from '../engine/engine-context.ts';
import { mayRedirectTo } from '../guard/egress-rule.ts';
import { openCache } from '../ledger/cache.ts';
import type { Config } from '../schema/config.ts';
import type { ArtifactStore } from '../schema/ports.ts';
import type { Tool } from '../schema/tool.ts';
import type { ShellOptions } from '../tools/builtin/shell.ts';
import { type ChainOptions, standardChain } from '../tools/chain.ts';
import { classifierOf } from './guard/classifier.ts';
import { createGuard } from './guard/create-guard.ts';
import { classWith, type Sandbox } from './guard/sandbox.ts';
import type { Rules } from './guard/from-stores.ts';
import { graphsIn } from './home/graph-files.ts';
import type { EgressRoutes } from './network/egress-routes.ts';
import { commandEnvironment } from './settings.ts';
import type { Home } from '../schema/home.ts';
import { builtInTools, type StartRun } from './tools.ts';

/** What is done around the built-in tools. */
export type Around = {
  startRun: StartRun;
  hold?: Sandbox['hold'];
  net?: EgressRoutes['tools'];
  kept?: (tools: Tool[]) => Tool[];
  further?: (tools: readonly Tool[]) => Tool[];
};

/** What a simulation needs, too. */
export function engineOptions(
  home: Home,
  config: Config,
  artifacts: ArtifactStore,
  around: Around,
  rules: Rules,
  secrets: Pick<ChainOptions, 'reveal' | 'redact' | 'diagnose'> = {},
): EngineOptions {
  const desk = join(home.workspace, 'desk');
  const classify = classifierOf(home);
  const { hold, kept = (all) => all, further = () => [] } = around;
  const shell: Partial<ShellOptions> = {
    classify: classWith(classify),
    ...(hold === undefined ? {} : { hold }),
  };
  const sendOn = (host: string): boolean => mayRedirectTo(rules.policy().policy, host);
  const acting = kept(builtInTools(desk, home, artifacts, around.startRun, shell, sendOn, around.net));
  const tools = [...acting, ...further(acting)];
  const env = Object.keys(commandEnvironment(home));
  const guard = createGuard({ ...rules, tools, desk, env, classify, clock: Date.now });
  return {
    tools,
    clock: Date.now,
    sleep,
    hooks: hooksIn(config),
    graphs: graphsIn(home),
    middleware: standardChain({
      tools,
      clock: Date.now,
      sleep,
      cache: openCache(join(home.oka, 'cache')),
      limits: config.rate_limits,
      ...guard,
      ...secrets,
    }),
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return after(ms, undefined, signal === undefined ? {} : { signal });
}

function hooksIn({ hooks }: Config): NonNullable<EngineOptions['hooks']> {
  return Object.fromEntries(Object.entries(hooks).map(([name, line]) => [name, { tool: 'shell', input: { line } }]));
}
