/** Owns: the engine of a home without its stores: the tools, what is done around them, and the chain. */
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { EngineOptions } from '../../core/engine/engine-context.ts';
import type { HookDocument } from '../../core/engine/hooks.ts';
import { asRegistry } from '../../core/engine/tool-registry.ts';
import type { Json } from '../../core/schema/json.ts';
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
  chain: Pick<
    ChainOptions,
    'reveal' | 'redact' | 'restore' | 'diagnose' | 'reserveDayBudget' | 'takePlaces' | 'claims'
  > = {},
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
    hooks: hooksIn(config, home),
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

function hooksIn({ hooks }: Config, home: Home): NonNullable<EngineOptions['hooks']> {
  return Object.fromEntries(
    Object.entries(hooks).flatMap(([name, hook]) => {
      if (hook === undefined) return [];
      const { line, net } = typeof hook === 'string' ? { line: hook, net: [] } : hook;
      const input = (about: HookDocument): Json => ({
        line: hookLine(line, { ...about, home: home.dir }),
        ...(net.length > 0 && { net }),
      });
      return [[name, { tool: 'shell', input }]];
    }),
  );
}

/** The line of a person, which reads the document from stdin and has its short fields as variables. */
function hookLine(line: string, about: HookDocument & { home: string }): string {
  const { hook, run, graph, node, kind, status, home } = about;
  const variables = { hook, run, graph, node: node ?? '', kind: kind ?? '', status, home };
  const set = Object.entries(variables).map(
    ([name, value]) => `OKA_${name.toUpperCase()}='${value.replaceAll("'", String.raw`'\''`)}'`,
  );
  return `export ${set.join(' ')}\n{\n${line}\n} <<'OKA_HOOK_END'\n${JSON.stringify(about)}\nOKA_HOOK_END`;
}
