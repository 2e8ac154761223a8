/** Owns: the engine of a home without its stores: the tools, what is done around them, and the chain. */
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { EngineOptions } from '../../core/engine/engine-context.ts';
import { asRegistry } from '../../core/engine/tool-registry.ts';
import type { ToolRegistry } from '../../core/schema/ports.ts';
import { openCache } from '../../core/ledger/cache.ts';
import { stepAcceptanceProblem } from '../task/step-acceptance.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { type ChainOptions, standardChain } from '../../core/chain/chain.ts';
import { classifierOf } from '../policy/classifier.ts';
import { createGuard, type GuardPorts } from '../policy/create-guard.ts';
import type { Rules } from '../policy/call-rules.ts';
import { commandEnvironment } from '../settings.ts';
import { deskFolder } from '../desk-folder.ts';
import type { Home } from '../../core/schema/home.ts';

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
