/** Runs a program to its end. It has a process group of its own, which ends with the signal, and with it all it has started. */
import { spawn } from 'node:child_process';

type Options = { cwd: string; signal: AbortSignal; env?: Readonly<Record<string, string>> };

/** Resolves with what it printed; what it reports on standard error is in the error when it fails. */
export async function runQuietly(program: string, args: readonly string[], options: Options): Promise<string> {
  const { cwd, signal, env = {} } = options;
  signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text));
  const end = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  };
  signal.addEventListener('abort', end);
  try {
    const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
    signal.throwIfAborted();
    if (code === 0) return out;
    throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${err.slice(-2000)}`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
