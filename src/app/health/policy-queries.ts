/** The policy as it is read, rule by rule, and what it says about a command or an address. Nothing is done. */
import { z } from 'zod';
import { commandJudge, matchingRules, policyOrDefaults, requestJudge } from '../../rooms/approvals/judge-command.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { PolicyRule } from '../../core/schema/policy.ts';
import { defineQuery } from '../../kit/web/page.ts';
import { ClassifyAnswer, PolicyAnswer } from './health-answers.ts';

export const policyQuery = defineQuery({
  params: z.strictObject({}),
  answer: PolicyAnswer,
  read: ({ home }) => Promise.resolve(readPolicy(home)),
});

export const classifyQuery = defineQuery({
  params: z.strictObject({
    text: z.string().min(1).max(4000).describe('A command, or an address that begins with http:// or https://.'),
  }),
  answer: ClassifyAnswer,
  read: ({ home, params: { text } }) => Promise.resolve(classify(home, text.trim())),
});

function readPolicy(home: Home): z.input<typeof PolicyAnswer> {
  try {
    const { policy, sha256 } = policyOrDefaults(home);
    const judge = commandJudge(home);
    const rules = policy.rules.map((rule) => ({
      effect: rule.effect,
      says: describeRule(rule),
      why: rule.why ?? null,
      examples: rule.examples.map((command) => {
        const { found, verdict } = judge(command);
        return { command, class: found.class, verdict };
      }),
    }));
    const { defaults, folders, budgets } = policy;
    return {
      file: home.policy,
      sha256: sha256 === '' ? null : sha256,
      problem: null,
      defaults,
      rules,
      folders,
      budgets,
    };
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    const problem = `${error.message}${error.fix === undefined ? '' : `\n${error.fix}`}`;
    return { file: home.policy, sha256: null, problem, defaults: null, rules: [], folders: [], budgets: null };
  }
}

/** A rule in words: every part of it must match. */
function describeRule({ tool, class: effect, program, path, host, risk, destructive }: PolicyRule): string {
  const parts = [
    ...(tool === undefined
      ? []
      : [tool.endsWith('*') ? `tools whose names begin with ${tool.slice(0, -1)}` : `the tool ${tool}`]),
    ...(program === undefined ? [] : [`the program ${program}`]),
    ...(effect === undefined ? [] : [`calls of the class ${effect}`]),
    ...(host === undefined ? [] : [`the host ${host}`]),
    ...(path === undefined ? [] : [`paths like ${path}`]),
    ...(risk === undefined ? [] : [`tools of ${risk} risk`]),
    ...(destructive === undefined ? [] : [destructive ? 'destructive tools' : 'tools that destroy nothing']),
  ];
  return parts.length === 0 ? 'everything' : parts.join(', and ');
}

function classify(home: Home, text: string): z.input<typeof ClassifyAnswer> {
  const { policy } = policyOrDefaults(home);
  if (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text)) {
    const { verdict, reason, host, command } = requestJudge(home)(new URL(text));
    const facts = { tool: 'http.get', class: 'read', hosts: [host], risk: 'medium', destructive: false } as const;
    return {
      kind: 'request',
      class: 'read',
      verdict,
      reason,
      programs: [],
      hosts: [host],
      network: true,
      rules: matchingRules(policy, facts),
      command: { verdict: command.verdict, reason: command.reason },
    };
  }
  const { found, verdict, reason } = commandJudge(home)(text);
  const { class: effect, programs, paths, hosts, net } = found;
  const rules = matchingRules(policy, { tool: 'shell', class: effect, programs, paths, hosts });
  return {
    kind: 'command',
    class: effect,
    verdict,
    reason,
    programs: [...programs],
    hosts: [...hosts],
    network: net,
    rules,
    command: null,
  };
}
