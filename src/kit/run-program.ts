/** Runs a program that is no command of a task, such as npm, and returns how it ended and what it printed. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

type Ran = { code: number | null; out: string; err: string };

/** Never throws because of the program itself: one that is not there has exit 127, as in a shell. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { signal, cwd }: { signal: AbortSignal; cwd?: string },
): Promise<Ran> {
  signal.throwIfAborted();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const ended = Promise.withResolvers<number | null>();
  let problem = '';
  child.on('error', (error: NodeJS.ErrnoException) => {
    problem = error.message;
    if (error.code === 'ENOENT') ended.resolve(127);
  });
  child.on('close', ended.resolve);
  const [code, out, err] = await Promise.all([ended.promise, text(child.stdout), text(child.stderr)]);
  signal.throwIfAborted();
  return { code, out, err: err === '' ? problem : err };
}

/** The first line that says something. */
export const firstLineOf = (err: string): string =>
  err
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.replace(/^npm error (?:code )?/, '') ?? 'without a word';
