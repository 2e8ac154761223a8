/** Owns: the engine of a home without its stores: the tools, what is done around them, and the chain. */
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { EngineOptions } from '../engine/engine-context.ts';
import { asRegistry } from '../engine/tool-registry.ts';
import type { ToolRegistry } from '../schema/ports.ts';
import { openCache } from '../ledger/cache.ts';
import { stepAcceptanceProblem } from '../roles/step-acceptance.ts';
import type { Config } from '../schema/config.ts';
import type { Tool } from '../schema/tool.ts';
import { type ChainOptions, standardChain } from '../tools/chain.ts';
import { classifierOf } from '../kit/policy/classifier.ts';
import { createGuard, type GuardPorts } from '../kit/policy/create-guard.ts';
import type { Rules } from './guard/call-rules.ts';
import { commandEnvironment } from '../kit/settings.ts';
import { deskFolder } from '../kit/desk-folder.ts';
import type { Home } from '../schema/home.ts';

/** What a simulation needs, too. */
export function engineOptions(
  home: Home,
  config: Config,
  tools: readonly Tool[] | ToolRegistry,
  rules: Rules,
  chain: Pick<ChainOptions, 'reveal' | 'redact' | 'restore' | 'diagnose' | 'reserveDayBudget' | 'takePlaces'> = {},
): EngineOptions {
  const deskOf: GuardPorts['deskOf'] = ({ desk }) => deskFolder(home, desk);
  const classify = classifierOf(home);
  const env = Object.keys(commandEnvironment(home));
  const guard = createGuard({ ...rules, tools: asRegistry(tools), deskOf, env, classify, clock: Date.now });
  return {
    tools,
    clock: Date.now,
    monotonic: () => performance.now(),
    sleep,
    hooks: hooksIn(config),
    acceptance: stepAcceptanceProblem,
    middleware: standardChain({
      tools,
      clock: Date.now,
      sleep,
      cache: openCache(join(home.oka, 'cache')),
      limits: config.rate_limits,
      ...guard,
      ...chain,
    }),
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return after(ms, undefined, signal === undefined ? {} : { signal });
}

function hooksIn({ hooks }: Config): NonNullable<EngineOptions['hooks']> {
  return Object.fromEntries(Object.entries(hooks).map(([name, line]) => [name, { tool: 'shell', input: { line } }]));
}
