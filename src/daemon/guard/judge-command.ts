/** Owns: what the active policy of a home says about a command that a model would write. Nothing is run. */
import { createDescriber, createJudge } from '../../guard/judge-call.ts';
import type { Classified } from '../../schema/command.ts';
import { OkaError } from '../../schema/errors.ts';
import { deskFolder } from '../desk-folder.ts';
import type { Home } from '../../schema/home.ts';
import { type Effect, Policy } from '../../schema/policy.ts';
import type { ToolCall } from '../../schema/tool.ts';
import { classifierOf, lineClassifierOf } from './classifier.ts';
import { classifyWithHosts } from './create-guard.ts';
import { type LoadedPolicy, loadPolicy } from './policy-file.ts';

export type JudgedCommand = { found: Classified; verdict: Effect; reason: string };

/** Where there is no home, the defaults of the product count. */
export function commandJudge(home: Home): (line: string) => JudgedCommand {
  const loaded = policyOrDefaults(home);
  const ports = { classify: classifierOf(home), deskOf: () => deskFolder(home) };
  const classified = (call: ToolCall): Classified => classifyWithHosts(call, call.input as { line: string }, ports);
  const shell = { targets: ['line'], annotations: NOTHING_KNOWN } as const;
  const judge = createJudge({
    policy: () => loaded,
    describe: createDescriber({ get: () => shell }, classified),
  });
  return (line) => {
    const call = modelCall(line);
    const found = classified(call);
    const { effect, why } = judge({ ...call, class: found.class });
    return { found, verdict: effect, reason: found.class === 'deny' ? found.reason : why };
  };
}

const NOTHING_KNOWN = {
  read_only: false,
  destructive: true,
  idempotent: false,
  cacheable: false,
  risk: 'high',
} as const;

const DEFAULTS = Policy.parse({
  version: 1,
  defaults: { read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' },
  budgets: {},
});

function policyOrDefaults(home: Home): LoadedPolicy {
  try {
    return loadPolicy(home.policy, lineClassifierOf(home));
  } catch (error) {
    if (error instanceof OkaError && error.code === 'not-set-up') return { policy: DEFAULTS, sha256: '' };
    throw error;
  }
}

/** A command as a model would write it. */
function modelCall(line: string): ToolCall {
  return {
    run: 'classify',
    node: null,
    call: 'classify',
    attempt: 1,
    tool: 'shell',
    class: 'external_mutation',
    input: { line },
    key: null,
    author: 'model',
    origins: () => ({}),
    signal: new AbortController().signal,
    bounds: { timeoutMs: null, retries: 0, tools: null, classes: null, ask: false },
    left: () => ({ tokens: 0, usd: 0, tool_calls: 0, retries: 0, output_bytes: 0, seconds: 0 }),
    approval: null,
    previous: null,
    intend: () => Promise.resolve(),
    act: () => Promise.resolve({ status: 'cancelled', error: 'nothing is run' }),
  };
}
