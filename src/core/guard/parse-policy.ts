/**
 * Owns: parsing POLICY.md. A policy that is not fully understood is refused, with file, line and reason.
 *
 * P1 An allow rule names what it allows (tool, program or host), and every rule has a condition.
 * P2 Every example matches its rule, as classified by the guard itself.
 */
import type { Classified } from '../schema/command.ts';
import { OkaError } from '../schema/errors.ts';
import { linesIn, readFrontMatter } from '../schema/front-matter.ts';
import { Policy, type PolicyRule } from '../schema/policy.ts';
import { type Facts, ruleMatches } from './rule-match.ts';

const CORRECT = 'Correct these lines; `oka schema policy` lists what is allowed.';

/** The guard's classifier for a shell command. */
export type Classify = (line: string) => Classified;

export function parsePolicy(text: string, file: string, classify: Classify): Policy {
  const { data } = frontMatterOf(text, file);
  if (Object.keys(data).length === 0)
    throw invalidPolicy(file, 1, ['there is no front matter: the rules belong between two --- lines at the top']);
  const lineOf = linesIn(text, file);
  const parsed = Policy.safeParse(data);
  if (!parsed.success)
    throw invalidPolicy(
      file,
      null,
      parsed.error.issues.flatMap((issue) => describeIssue(lineOf, issue)),
    );
  const problems = parsed.data.rules.flatMap((rule, index) =>
    problemsOf(rule, classify).map(({ path, problem }) => describeProblem(lineOf, ['rules', index, ...path], problem)),
  );
  if (problems.length > 0) throw invalidPolicy(file, null, problems);
  return parsed.data;
}

function frontMatterOf(text: string, file: string): ReturnType<typeof readFrontMatter> {
  try {
    return readFrontMatter(text, file);
  } catch (error) {
    if (!(error instanceof OkaError) || error.fix !== undefined) throw error;
    throw new OkaError(error.code, error.message, { fix: CORRECT, cause: error });
  }
}

type Problem = { path: PropertyKey[]; problem: string };

function problemsOf(rule: PolicyRule, classify: Classify): Problem[] {
  const { effect, why: _, examples, ...conditions } = rule;
  if (Object.keys(conditions).length === 0)
    return [{ path: [], problem: 'this rule matches everything: add a condition (tool, class, program, …)' }];
  if (effect === 'allow' && rule.class === 'deny')
    return [{ path: ['class'], problem: 'the class deny is always refused; no rule can allow it' }];
  if (effect === 'allow' && rule.tool === undefined && rule.program === undefined && rule.host === undefined)
    return [{ path: [], problem: 'an allow rule must name the tool, the program or the host that it allows' }];
  if (rule.tool !== undefined && /\*./.test(rule.tool))
    return [{ path: ['tool'], problem: 'a * is allowed only at the end of a tool name' }];
  return examples.flatMap((example, index) => exampleProblem(rule, example, ['examples', index], classify));
}

/** Why an example does not match its rule (P2). An allow rule cannot have an example that is always denied. */
function exampleProblem(rule: PolicyRule, example: string, path: PropertyKey[], classify: Classify): Problem[] {
  const classified = classify(example);
  const facts: Facts = { ...factsOfExample(classified), tool: 'shell' };
  if (rule.effect === 'allow' && classified.class === 'deny')
    return [{ path, problem: `this example is never allowed: ${classified.reason}` }];
  if (ruleMatches(rule, facts) === 'yes') return [];
  const seen = [
    `class ${classified.class}`,
    `programs ${listNames(classified.programs)}`,
    `paths ${listNames(classified.paths)}`,
    `hosts ${listNames(classified.hosts)}`,
  ];
  return [{ path, problem: `its rule does not match this example, which is: ${seen.join('; ')}` }];
}

function factsOfExample({ class: effect, programs, paths, hosts }: Classified): Omit<Facts, 'tool'> {
  return { class: effect, programs, paths, hosts, risk: 'high', destructive: true };
}

const listNames = (words: readonly string[]): string => (words.length === 0 ? 'none' : words.join(', '));

type LineOf = ReturnType<typeof linesIn>;
type Issue = { path: PropertyKey[]; message: string; code?: string };

function describeIssue(lineOf: LineOf, issue: Issue): string[] {
  if (issue.code === 'unrecognized_keys' && 'keys' in issue && Array.isArray(issue.keys))
    return issue.keys.map((key) => describeProblem(lineOf, [...issue.path, String(key)], 'there is no such setting'));
  return [describeProblem(lineOf, issue.path, issue.message)];
}

function describeProblem(lineOf: LineOf, path: readonly PropertyKey[], problem: string): string {
  return `line ${lineOf(path)}, ${path.map(String).join('.') || '(top)'}: ${problem}`;
}

function invalidPolicy(file: string, line: number | null, problems: readonly string[]): OkaError {
  const where = line === null ? '' : `, line ${line}`;
  const [only, ...more] = problems;
  const words = more.length === 0 ? `: ${only}` : ` is not valid:\n${problems.map((each) => `  ${each}`).join('\n')}`;
  return new OkaError('invalid-file', `${file}${where}${words}`, {
    fix: CORRECT,
  });
}
