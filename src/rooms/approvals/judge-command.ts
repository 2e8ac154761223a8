/** Owns: what the active policy of a home says about a command or a request that a model would write. Nothing is run. */
import { join } from 'node:path';
import { createDescriber, createJudge } from '../../core/guard/judge-call.ts';
import { mcpClass } from '../../core/guard/mcp-class.ts';
import type { Classified } from '../../core/schema/command.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { redactShapes } from '../../core/guard/redact.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { detachedTools } from '../../kit/house/room-contributions.ts';
import type { HouseRoom } from '../../kit/house/house.ts';
import { egressRule } from '../../core/guard/egress-rule.ts';
import { type Facts, ruleMatches } from '../../core/guard/rule-match.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import type { Home } from '../../core/schema/home.ts';
import { type Effect, Policy } from '../../core/schema/policy.ts';
import type { ToolCall } from '../../core/schema/tool.ts';
import { classifierOf, lineClassifierOf } from '../../kit/policy/classifier.ts';
import { classifyWithHosts } from '../../kit/policy/create-guard.ts';
import { type LoadedPolicy, loadPolicy } from '../../kit/policy/policy-file.ts';

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

type JudgedRequest = {
  verdict: Effect;
  reason: string;
  host: string;
  command: { verdict: string; reason: string };
};

/** What it says about reading an address, and about a command in the sandbox that goes to the same host. */
export function requestJudge(home: Home): (url: URL) => JudgedRequest {
  const loaded = policyOrDefaults(home);
  const tool = { targets: ['url'], annotations: { ...NOTHING_KNOWN, destructive: false, risk: 'medium' } } as const;
  const judge = createJudge({ policy: () => loaded, describe: createDescriber({ get: () => tool }, () => null) });
  return (url) => {
    const { effect, why } = judge({ ...modelCall(''), tool: 'http.get', class: 'read', input: { url: url.href } });
    const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
    const command = egressRule(loaded.policy.rules, [])(url.hostname.toLowerCase(), port);
    return { verdict: effect, reason: why, host: url.host, command };
  };
}

/** Which rules match a command or a request, by their places in the policy; `maybe` depends on what the shell makes of it. */
export function matchingRules(
  { rules }: Pick<Policy, 'rules'>,
  facts: Pick<Facts, 'tool' | 'class'> & Partial<Facts>,
): { rule: number; match: 'yes' | 'maybe' }[] {
  const all: Facts = { programs: [], paths: [], hosts: [], risk: 'high', destructive: true, ...facts };
  return rules.flatMap((each, rule) => {
    const match = ruleMatches(each, all);
    return match === 'no' ? [] : [{ rule, match }];
  });
}

/** The same for a call of an MCP server's tool, whatever its input. */
export async function judgeServerTool(home: Home, tool: string, rooms?: readonly HouseRoom[]): Promise<JudgedCommand> {
  if (!tool.startsWith('mcp.'))
    throw new OkaError('usage', `"${tool}" is not the tool of an MCP server`, {
      fix: 'Write mcp.SERVER.TOOL; the classes of other tools depend on what they are given.',
    });
  const loaded = policyOrDefaults(home);
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redactShapes);
  const place = { home, desk: deskFolder(home), artifacts, purpose: 'simulation' as const };
  const accepted = (await detachedTools(place, rooms)).find(({ name }) => name === tool)?.classOf({}, 'model');
  const byPolicy = mcpClass(loaded.policy, tool);
  const found = {
    class: accepted ?? byPolicy,
    reason: (accepted ?? byPolicy) === byPolicy ? 'as the policy says' : 'as was said when it was accepted',
    programs: [],
    paths: [],
    hosts: [],
    net: false,
  };
  const describe = createDescriber({ get: () => ({ targets: [], annotations: NOTHING_KNOWN }) }, () => null);
  const judge = createJudge({ policy: () => loaded, describe });
  const { effect, why } = judge({ ...modelCall(''), tool, input: {}, class: found.class });
  return { found, verdict: effect, reason: why };
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

/** Where there is no policy yet, the defaults of the product count. */
export function policyOrDefaults(home: Home): LoadedPolicy {
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
