/** `oka` on a real pseudo-terminal, with what a person would see on it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { launcher } from './cli.ts';
import { type Shown, screenOf } from './drawn-screen.ts';

export type PseudoTerminal = {
  type: (text: string) => void;
  resize: (columns: number, rows: number) => void;
  /** Everything that was written, escape sequences included. */
  written: () => string;
  /** What is shown now, with everything that has scrolled by. */
  screen: () => Shown;
  /** Resolves when the screen fits; fails with the screen when it does not in time. */
  until: (isShown: (lines: string) => boolean, what: string) => Promise<void>;
  shows: (text: string) => Promise<void>;
  ended: Promise<number>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

const PATIENCE_MS = 120_000;

export function openPseudoTerminal(words: readonly string[], size = { columns: 80, rows: 24 }): PseudoTerminal {
  const env = { ...process.env, TERM: 'xterm-256color', NO_COLOR: '1' } as Record<string, string>;
  const child = spawn(process.execPath, [launcher, ...words], { cols: size.columns, rows: size.rows, env });
  let [text, columns] = ['', size.columns];
  let isOver = false;
  child.onData((chunk) => void (text += chunk));
  const ended = new Promise<number>((done) =>
    child.onExit(({ exitCode }) => {
      isOver = true;
      done(exitCode);
    }),
  );
  const screen = (): Shown => screenOf(text, columns);
  const until: PseudoTerminal['until'] = async (isShown, what) => {
    const end = Date.now() + PATIENCE_MS;
    while (!isShown(screen().lines.join('\n'))) {
      if (isOver || Date.now() > end) throw new Error(`${what} is not shown:\n${screen().lines.join('\n')}`);
      await sleep(20);
    }
  };
  return {
    type: (typed) => child.write(typed),
    resize: (wide, high) => {
      columns = wide;
      child.resize(wide, high);
    },
    written: () => text,
    screen,
    until,
    shows: (wanted) => until((lines) => lines.includes(wanted), JSON.stringify(wanted)),
    ended,
    [Symbol.asyncDispose]: async () => {
      if (!isOver) child.kill('SIGTERM');
      await ended;
    },
  };
}
