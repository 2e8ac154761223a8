/**
 * Owns: reading POLICY.md. A policy that is not wholly understood is refused, with file, line and reason.
 *
 * P1 An allow rule names what it allows (tool, program or host), and a rule without any condition is not a rule.
 * P2 Every example is matched by its rule, as the guard itself classifies it.
 */
import type { Classified } from '../schema/command.ts';
import { OkaError } from '../schema/errors.ts';
import { linesIn, readFrontMatter } from '../schema/front-matter.ts';
import { Policy, type PolicyRule } from '../schema/policy.ts';
import { type Facts, ruleMatches } from './rules.ts';

/** What a line of shell would do; the guard's own classifier. */
export type Classify = (line: string) => Classified;

export function parsePolicy(text: string, file: string, classify: Classify): Policy {
  const { data } = readFrontMatter(text, file);
  if (Object.keys(data).length === 0)
    throw invalid(file, 1, ['there is no front matter: the rules stand between two --- lines at the top']);
  const lineOf = linesIn(text, file);
  const parsed = Policy.safeParse(data);
  if (!parsed.success)
    throw invalid(
      file,
      null,
      parsed.error.issues.flatMap((issue) => placed(lineOf, issue)),
    );
  const problems = parsed.data.rules.flatMap((rule, index) =>
    problemsOf(rule, classify).map(({ path, problem }) => told(lineOf, ['rules', index, ...path], problem)),
  );
  if (problems.length > 0) throw invalid(file, null, problems);
  return parsed.data;
}

type Problem = { path: PropertyKey[]; problem: string };

function problemsOf(rule: PolicyRule, classify: Classify): Problem[] {
  const { effect, why: _, examples, ...conditions } = rule;
  if (Object.keys(conditions).length === 0)
    return [{ path: [], problem: 'this rule matches everything: say what it is about (tool, class, program, …)' }];
  if (effect === 'allow' && rule.class === 'deny')
    return [{ path: ['class'], problem: 'the class deny stays refused; no rule can allow it' }];
  if (effect === 'allow' && rule.tool === undefined && rule.program === undefined && rule.host === undefined)
    return [{ path: [], problem: 'an allow rule names the tool, the program or the host that it allows' }];
  if (rule.tool !== undefined && /\*./.test(rule.tool))
    return [{ path: ['tool'], problem: 'a * stands at the end of a tool name only' }];
  return examples.flatMap((example, index) => exampleProblem(rule, example, ['examples', index], classify));
}

/** P2. A command that would be refused whatever the rules say is no example of an allow rule. */
function exampleProblem(rule: PolicyRule, example: string, path: PropertyKey[], classify: Classify): Problem[] {
  const classified = classify(example);
  const facts: Facts = { ...factsOfExample(classified), tool: 'shell' };
  if (rule.effect === 'allow' && classified.class === 'deny')
    return [{ path, problem: `this example is never allowed: ${classified.reason}` }];
  if (ruleMatches(rule, facts) === 'yes') return [];
  const seen = [
    `class ${classified.class}`,
    `programs ${listed(classified.programs)}`,
    `paths ${listed(classified.paths)}`,
    `hosts ${listed(classified.hosts)}`,
  ];
  return [{ path, problem: `its rule does not match this example, which is: ${seen.join('; ')}` }];
}

function factsOfExample({ class: effect, programs, paths, hosts }: Classified): Omit<Facts, 'tool'> {
  return { class: effect, programs, paths, hosts, risk: 'high', destructive: true };
}

const listed = (words: readonly string[]): string => (words.length === 0 ? 'none' : words.join(', '));

type LineOf = ReturnType<typeof linesIn>;
type Issue = { path: PropertyKey[]; message: string; code?: string };

function placed(lineOf: LineOf, issue: Issue): string[] {
  if (issue.code === 'unrecognized_keys' && 'keys' in issue && Array.isArray(issue.keys))
    return issue.keys.map((key) => told(lineOf, [...issue.path, String(key)], 'there is no such setting'));
  return [told(lineOf, issue.path, issue.message)];
}

function told(lineOf: LineOf, path: readonly PropertyKey[], problem: string): string {
  return `line ${lineOf(path)}, ${path.map(String).join('.') || '(top)'}: ${problem}`;
}

function invalid(file: string, line: number | null, problems: readonly string[]): OkaError {
  const where = line === null ? '' : `, line ${line}`;
  const [only, ...more] = problems;
  const words = more.length === 0 ? `: ${only}` : ` is not valid:\n${problems.map((each) => `  ${each}`).join('\n')}`;
  return new OkaError('invalid-file', `${file}${where}${words}`, {
    fix: 'Mend these lines; `oka schema policy` shows what is possible.',
  });
}
