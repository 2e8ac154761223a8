/**
 * Owns: whether a command that a model wrote is one that a person has named for a secret.
 *
 * Only plain commands count: one program found by its name, and its arguments. A line that the shell would expand, or
 * that starts something else besides, is code that the model wrote.
 */
import { OkaError } from '../schema/errors.ts';
import type { Json } from '../schema/json.ts';
import type { ToolCall } from '../schema/tool.ts';

type NamedFor = { commands: readonly string[] };

/** Programs that run whatever they are given, so that naming them would name everything. */
const RUNS_ANYTHING =
  /^(?:(?:ba|da|z|k|c|tc|fi)?sh|busybox|env|xargs|find|sudo|doas|nohup|timeout|time|watch|setsid|nice|ssh|eval|exec|source|(?:g?awk|mawk|sed|ed|vi|vim|emacs|make|cmake|ninja|node|deno|bun|npm|npx|pnpm|pnpx|yarn|uv|uvx|pipx|pip\d*|tsx|ts-node|perl|ruby|irb|php|lua|tclsh|expect|java|go|cargo|docker|podman|parallel|script|gdb|strace)|python[\d.]*|pypy\d*|poetry|bundle)$/;

/** Why this call may not have the secret, or null. */
export function commandRefusal(name: string, { commands }: NamedFor, { tool, author, input }: ToolCall): string | null {
  if (tool !== 'shell' || author === 'operator') return null;
  if (commands.length === 0) return `the secret ${name} is for no command of a model: name one with --command`;
  const argv = plainArgv(input);
  if (argv === null) return `the secret ${name} is given to a plain command only, not to a line of shell`;
  const isNamed = commands.some((each) => each.split(' ').every((word, index) => argv[index] === word));
  return isNamed ? null : `the secret ${name} may not be given to this command, only to: ${commands.join(', ')}`;
}

/** Refuses to name a program that would run any code it is given. */
export function assertNameable(command: string): void {
  const [program = ''] = command.split(' ');
  if (!RUNS_ANYTHING.test(program)) return;
  throw new OkaError('usage', `${program} runs any code it is given, so no secret can be meant for it`, {
    fix: 'Name the program that needs the secret, such as --command gh or --command "git push".',
  });
}

/** The words of a command that has no other program and nothing that the shell expands. */
function plainArgv(input: Json): readonly string[] | null {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return null;
  const { argv, line } = input;
  if (Array.isArray(argv)) return argv.map(String);
  return typeof line === 'string' && /^[\w@%+=:,./ -]+$/.test(line) ? line.trim().split(/ +/) : null;
}
