/** What the installers need from around them, and what they give back. */
import type { InstallInput, Receipt } from '../../../core/schema/dependency.ts';
import type { ToolCall } from '../../../core/schema/tool.ts';
import type { Launched } from '../../../kit/sandbox/launch.ts';

type RunOptions = {
  cwd: string;
  /** Whether it may reach the registries, through the proxy alone. */
  net: boolean;
  env?: Readonly<Record<string, string>>;
  /** Servers (host:port) that it may reach besides: the operator has named them. */
  servers?: readonly string[];
  /** Files and folders it may read besides. */
  readable?: readonly string[];
};

/** Runs a program with the rights of the installer, which are those of no other step. */
export type RunInstaller = (
  argv: readonly string[],
  options: RunOptions,
  call: ToolCall,
) => Promise<Launched | { refused: string }>;

type Limits = {
  min_age_days: number;
  unknown_age: 'refuse' | 'take';
  scripts: readonly string[];
  most_mb: number;
};

export type Manager = {
  /** Variables with the operator's settings. */
  env: Readonly<Record<string, string>>;
  /** Files with them. */
  files: readonly string[];
};

export type Binary = { from: string; sha256: string; path?: string | undefined; version: string };

export type InstallContext = {
  /** .oka/tools, as it really is. */
  tools: string;
  run: RunInstaller;
  npm: Manager;
  pip: Manager;
  /** A Python that steps can run, by its path: found by name it would not know where it is. */
  python: string;
  /** uv by its path, where there is one: of the system, or one that was installed here. */
  uv: string | null;
  limits: Limits;
  wheels: string | undefined;
  binaries: Readonly<Record<string, Binary>>;
  now: number;
};

/** Something that is completely installed and not linked yet. */
export type InstalledFolder = Pick<
  Receipt,
  'version' | 'folder' | 'links' | 'commands' | 'replaces' | 'contains' | 'integrity' | 'from' | 'scripts'
>;
export type Problem = { problem: string; temporary: boolean };

export type Installer = (
  input: InstallInput,
  bench: InstallContext,
  call: ToolCall,
  known: readonly Receipt[],
) => Promise<InstalledFolder | Problem>;

export const permanentProblem = (problem: string): Problem => ({ problem, temporary: false });
export const temporaryProblem = (problem: string): Problem => ({ problem, temporary: true });

export function outputText({ stdout, stderr }: Pick<Launched, 'stdout' | 'stderr'>): string {
  return [stderr, stdout]
    .map(({ head, tail }) => `${head.toString('utf8')}${tail.toString('utf8')}`.trim())
    .join('\n')
    .trim();
}

/** Null when it went well. */
export function failureIn(ran: Launched | { refused: string }): { refused: string } | { output: string } | null {
  if ('refused' in ran) return ran;
  switch (ran.ended.how) {
    case 'unseen':
      return { output: `nobody saw how it ended: ${ran.ended.problem}` };
    case 'unstarted':
      return { output: `it cannot be started (${ran.ended.problem})` };
    case 'timed-out':
      return { output: 'it took too long and was stopped' };
    case 'exceeded':
      return { output: `it was stopped because it used too much (${ran.ended.limit})` };
    case 'aborted':
    case 'not-begun':
      return { output: 'it was stopped' };
    case 'itself':
      return ran.exit === 0 ? null : { output: outputText(ran) || `exit ${ran.exit ?? ran.signal}` };
  }
}

/** Words of the network, whoever speaks them. */
export const OFFLINE =
  /\b(?:E(?:AI_AGAIN|CONNREFUSED|CONNRESET|NETUNREACH|HOSTUNREACH|TIMEDOUT)|ENOTFOUND|ERR_SOCKET\w*|ETIMEDOUT)\b|Name or service not known|Temporary failure in name resolution|Connection (?:refused|reset|timed out)|Network is unreachable|NewConnectionError|ProxyError|Tunnel connection failed|socket hang up|\b50[234]\b/;
export const FULL = /\bENOSPC\b|No space left on device|\bEDQUOT\b|Disk quota exceeded/;

/** The lines that matter; what they say in passing is left out. */
export function lastLines(output: string): string {
  const lines = output
    .split('\n')
    .filter((line) => line.trim() !== '' && !/complete log of this run|^npm (?:warn|notice)/.test(line));
  const errors = lines.filter((line) => /error|could not|cannot|refused|failed/i.test(line));
  return (errors.length > 0 ? errors : lines).slice(-6).join('\n').slice(0, 1500);
}
