/** Owns: parsing the file of an agent. One that is not fully understood is refused, with file, line and reason. */
import {
  type Agent,
  AGENT_NAME,
  AgentFile,
  LONGEST_AGENT_NAME,
  OKA_AGENT,
  RESERVED_AGENT_NAMES,
  ROLE_CAPABILITIES,
} from './agent-file.ts';
import { OkaError } from './errors.ts';
import { linesIn, readFrontMatter } from './front-matter.ts';
import { nearestWord } from './nearest-word.ts';

const LONGEST_PERSONA = 50_000;
const FIX = 'Correct the file; `oka schema agent` lists the fields, and docs/CHAT.md has an example.';

type AgentSource = { name: string; text: string; file: string; sha256: string };

export function parseAgent({ name, text, file, sha256 }: AgentSource): Agent {
  const wrongName = nameProblem(name);
  if (wrongName !== null) throw invalidAgent(file, [`line 1: ${wrongName}`]);
  const { data, body } = readFrontMatter(text, file);
  const lineOf = linesIn(text, file);
  const parsed = AgentFile.safeParse(data);
  if (!parsed.success)
    throw invalidAgent(
      file,
      parsed.error.issues.flatMap((issue) => describeIssue(lineOf, issue)),
    );
  const { role, capabilities = defaultCapabilities(name, role), ...settings } = parsed.data;
  const forbidden = capabilities.filter((each) => !ROLE_CAPABILITIES[role].most.includes(each));
  const problems = forbidden.map(
    (each) => `line ${lineOf(['capabilities'])}, capabilities: a ${role} agent cannot have "${each}"`,
  );
  const persona = body.trim();
  if (persona.length > LONGEST_PERSONA) problems.push(`line 1: the text is longer than ${LONGEST_PERSONA} characters`);
  if (problems.length > 0) throw invalidAgent(file, problems);
  return { ...settings, name, role, capabilities, persona, file, sha256 };
}

/** Null when an agent may have this name. */
export function nameProblem(name: string): string | null {
  if (RESERVED_AGENT_NAMES.includes(name)) return `an agent cannot be called "${name}", which has a meaning of its own`;
  if (AGENT_NAME.test(name) && name.length <= LONGEST_AGENT_NAME) return null;
  return `"${name.slice(0, 80)}" is no name of an agent: at most ${LONGEST_AGENT_NAME} lower-case letters, digits, and single dashes or underscores between them`;
}

/** What oka may do is limited by the policy alone, unless a person wrote a list. */
function defaultCapabilities(name: string, role: Agent['role']): Agent['capabilities'] {
  const { default: usual, most } = ROLE_CAPABILITIES[role];
  return name === OKA_AGENT ? most : usual;
}

type Issue = { path: PropertyKey[]; message: string; code?: string };

function describeIssue(lineOf: (path: readonly PropertyKey[]) => number, issue: Issue): string[] {
  const at = (path: readonly PropertyKey[], problem: string): string =>
    `line ${lineOf(path)}, ${path.map(String).join('.') || 'front matter'}: ${problem}`;
  if (issue.code !== 'unrecognized_keys' || !('keys' in issue) || !Array.isArray(issue.keys))
    return [at(issue.path, issue.message)];
  return issue.keys.map((key) => {
    const near = issue.path.length === 0 ? nearestWord(String(key), Object.keys(AgentFile.shape)) : null;
    return at(
      [...issue.path, String(key)],
      `there is no such field${near === null ? '' : `; did you mean "${near}"?`}`,
    );
  });
}

function invalidAgent(file: string, problems: readonly string[]): OkaError {
  const [only, ...more] = problems;
  const words = more.length === 0 ? `, ${only}` : ` is not valid:\n${problems.map((each) => `  ${each}`).join('\n')}`;
  return new OkaError('invalid-file', `${file}${words}`, { fix: FIX });
}
