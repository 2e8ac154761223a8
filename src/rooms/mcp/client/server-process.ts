/**
 * Owns: the process of a server that is spoken to over its input and output, and everything that the process starts.
 * Does not own: what it may touch (core/guard/command-rights.ts), what is said (line-transport.ts).
 *
 * P1 The launcher ends the server and everything it started: when it is asked to, when we close our side, and when we die.
 * P2 Of what the server writes to stderr only the end is stored, for the message about a failure.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ServerLaunch } from '../../../kit/sandbox/command-sandbox.ts';
import { rightsAsOptions } from '../../../kit/sandbox/sandbox-launch.ts';

export type ServerProcess = {
  readonly input: Writable;
  readonly output: Readable;
  readonly pid: number | null;
  /** Resolves when the server and everything it started are gone: how it ended, in words. */
  readonly ended: Promise<string>;
  /** The end of what it wrote to stderr. */
  lastErrors(): string;
  /** Resolves when it has ended. It gets a moment to do that by itself, unless it has to end at once. */
  end(atOnce?: 'at once'): Promise<void>;
};

const MOST_ERRORS = 2000;
/** Closing its input asks a server to end; after this long the launcher is asked to see to it. */
const CLOSE_MS = 1000;

export function startServer(
  argv: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
  { launcher, rights, mark }: ServerLaunch,
): ServerProcess {
  const args = [
    '--pipe',
    '--parent',
    String(process.pid),
    '--cwd',
    options.cwd,
    ...(mark === undefined ? [] : ['--mark', String(mark)]),
    ...(rights === null ? ['--open'] : rightsAsOptions(rights)),
    '--',
    ...argv,
  ];
  const child = spawn(launcher, args, { env: { ...options.env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const errors = captureEnd(child.stderr);
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  child.once('error', (error) => resolve(`cannot be started: ${error.message}`));
  child.once('close', (code, signal) => resolve(describeEnd(code, signal)));
  child.stdin.on('error', () => undefined); // it has ended, which 'close' reports
  return {
    input: child.stdin,
    output: child.stdout,
    pid: child.pid ?? null,
    ended,
    lastErrors: errors,
    end: (atOnce) => endServer(child, ended, atOnce === undefined ? CLOSE_MS : 0),
  };
}

async function endServer(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  ended: Promise<string>,
  patienceMs: number,
): Promise<void> {
  child.stdin.end();
  child.stdout.resume(); // what nobody reads any more must not keep it from ending
  const timer = setTimeout(() => void child.kill('SIGTERM'), patienceMs);
  await ended;
  clearTimeout(timer);
}

function captureEnd(stream: Readable): () => string {
  let last = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    last = `${last}${chunk}`.slice(-MOST_ERRORS);
  });
  stream.on('error', () => undefined);
  return () => last.trim();
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal !== null) return `was ended by ${signal}`;
  if (code === 70) return 'cannot be started';
  return code !== null && code > 128 ? `was ended by signal ${code - 128}` : `ended with exit code ${code}`;
}
