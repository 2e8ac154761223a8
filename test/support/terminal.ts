/** A command on a real terminal: `script` opens a pseudo-terminal, and the test sits on the other side of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type TerminalSession = {
  /** Everything the terminal has shown so far, escape sequences included. */
  screen: () => string;
  type: (text: string) => void;
  /** Resolves when the text has appeared after what was awaited before; rejects when the command ends without it. */
  until: (text: string | RegExp) => Promise<void>;
  /** The exit code, once the command has ended. */
  ended: Promise<number | null>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

export const ENTER = '\r';
export const CTRL_C = '\u0003';

/** `command` is a line for sh. */
export function openTerminal(command: string, env: Readonly<Record<string, string>>): TerminalSession {
  const child = spawn('script', ['-qfec', command, '/dev/null'], { env: { ...env, SHELL: '/bin/sh', TERM: 'dumb' } });
  let text = '';
  let awaited = 0;
  let changed = Promise.withResolvers<void>();
  const onText = (chunk: Buffer): void => {
    text += chunk.toString();
    changed.resolve();
    changed = Promise.withResolvers();
  };
  child.stdout.on('data', onText);
  child.stderr.on('data', onText);
  let isOver = false;
  const ended = once(child, 'close').then(([code]) => {
    isOver = true;
    changed.resolve();
    return code as number | null;
  });
  return {
    screen: () => text,
    type: (typed) => void child.stdin.write(typed),
    until: async (wanted) => {
      for (;;) {
        const rest = text.slice(awaited);
        const at = typeof wanted === 'string' ? rest.indexOf(wanted) : rest.search(wanted);
        if (at >= 0) {
          awaited += at + (typeof wanted === 'string' ? wanted.length : (wanted.exec(rest)?.[0].length ?? 0));
          return;
        }
        if (isOver) throw new Error(`it ended without showing ${String(wanted)}:\n${text}`);
        await changed.promise;
      }
    },
    ended,
    [Symbol.asyncDispose]: async () => {
      if (!isOver) child.kill('SIGTERM');
      await ended;
    },
  };
}
