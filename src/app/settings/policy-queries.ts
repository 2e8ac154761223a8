/** The policy as it is read, rule by rule, and what it says about a command or an address. Nothing is done. */
import { z } from 'zod';
import { commandJudge, matchingRules, policyOrDefaults, requestJudge } from '../../rooms/approvals/judge-command.ts';
import { readRules } from '../../rooms/approvals/write-rules.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { linesIn } from '../../core/schema/front-matter.ts';
import type { Home } from '../../core/schema/home.ts';
import type { PolicyRule } from '../../core/schema/policy.ts';
import { defineQuery } from '../../kit/web/page.ts';
import { ClassifyAnswer, PolicyAnswer } from './settings-answers.ts';

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
    const text = readRules(home, 'POLICY.md') ?? '';
    const lineOf = linesIn(text, home.policy);
    const judge = commandJudge(home);
    const rules = policy.rules.map((rule, index) => ({
      effect: rule.effect,
      line: lineOf(['rules', index]),
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
      text,
      sha256: sha256 === '' ? null : sha256,
      problem: null,
      defaults,
      default_lines: Object.fromEntries(Object.keys(defaults).map((name) => [name, lineOf(['defaults', name])])),
      rules,
      folders: folders.map(({ path, access, tasks }, index) => ({
        path,
        access,
        tasks: TASKS[String(tasks)] ?? `tasks that match ${[tasks].flat().join(', ')}`,
        line: lineOf(['folders', index]),
      })),
      budgets,
    };
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    const problem = `${error.message}${error.fix === undefined ? '' : `\n${error.fix}`}`;
    const text = readRules(home, 'POLICY.md') ?? '';
    const nothing = { defaults: null, default_lines: {}, rules: [], folders: [], budgets: null };
    return { file: home.policy, text, sha256: null, problem, ...nothing };
  }
}

const TASKS: Readonly<Record<string, string>> = { all: 'every task', named: 'tasks that name it' };

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
