/** The container engine that the trials use, if there is one. */
import { spawnSync } from 'node:child_process';

export const IMAGE = 'oka:trial';
export const BASE = 'node:24-bookworm-slim';

export type Ran = { code: number | null; out: string; err: string; all: string };

export type RunOptions = { cwd?: string; env?: Readonly<Record<string, string>>; input?: string };

export function docker(args: readonly string[], { cwd, env = {}, input }: RunOptions = {}): Ran {
  const { status, stdout, stderr } = spawnSync('docker', args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? {} : { input }),
  });
  return { code: status, out: stdout ?? '', err: stderr ?? '', all: `${stdout ?? ''}${stderr ?? ''}` };
}

/** Throws with what was said when it fails. */
export function must(args: readonly string[], options: RunOptions = {}): string {
  const ran = docker(args, options);
  if (ran.code === 0) return ran.out;
  throw new Error(`docker ${args.join(' ')} ended with ${ran.code}:\n${ran.all}`);
}

/** Why the trials cannot be made here; empty when they can. */
export function whatIsMissing(): string {
  if (docker(['version', '--format', '{{.Server.Version}}']).code !== 0) return 'no Docker engine answers';
  if (docker(['compose', 'version']).code !== 0) return 'Docker has no Compose here';
  const hasBase = docker(['image', 'inspect', BASE]).code === 0 || docker(['pull', '-q', BASE]).code === 0;
  return hasBase ? '' : `the base image ${BASE} is not here and cannot be pulled`;
}
