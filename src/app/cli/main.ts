/** Attaches the command line to this process: its streams, its signals, its exit code. */
import { exits } from '../../kit/cli/command-module.ts';
import { hardenProcess } from './harden-process.ts';
import { runOka } from './run-oka.ts';
import { terminalWidth } from '../../kit/cli/wrap-words.ts';

hardenProcess();
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? exits.ok : exits.refused),
);
/** How long what a command has left open may keep its process. */
const LINGER_MS = 1000;
/** Closing takes a second or two, unless somebody does not answer, such as the servers of a fleet. */
const LONGEST_END_MS = 20_000;
const signal = interruption();
process.exitCode = await runOka(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  get stdin() {
    return process.stdin; // opening it keeps the process alive, so only a command that reads it does
  },
  signal,
  isTerminal: process.stdout.isTTY,
  isErrTerminal: process.stderr.isTTY,
  get hasColours() {
    return process.getBuiltinModule('node:util').styleText('bold', 'x') !== 'x';
  },
  width: terminalWidth(process.stdout),
  underSupervisor: async (signal, work) => (await import('./supervised-process.ts')).underSupervisor(signal, work),
  get openDialog() {
    return isDialogPossible()
      ? async (until?: AbortSignal) => (await import('../../kit/cli/dialog.ts')).openDialog(terminal(until))
      : null;
  },
  get openTerminal() {
    return isDialogPossible()
      ? async () => (await import('../../rooms/chat/terminal/terminal-device.ts')).openDevice()
      : null;
  },
});
// The command is over: a connection to somebody who does not answer must not keep the process; a slow reader of its output does.
setInterval(() => {
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
}, LINGER_MS).unref();

/** Asked only where stdout is a terminal: what tells it about stdin is loaded then anyway. */
function isDialogPossible(): boolean {
  return process.stdout.isTTY && process.getBuiltinModule('node:tty').isatty(0);
}

function terminal(until = signal): Parameters<typeof import('../../kit/cli/dialog.ts').openDialog>[0] {
  const print = (text: string): void => void process.stdout.write(text);
  return { input: process.stdin, print, signal: AbortSignal.any([signal, until]) };
}

/**
 * The first Ctrl-C asks the command to end; a second one ends the process. So does time: what is not closed in order by
 * then is left as a crash leaves it, and the next process goes on from there.
 */
function interruption(): AbortSignal {
  const controller = new AbortController();
  const end = (): void => {
    controller.abort();
    setTimeout(endAnyway, LONGEST_END_MS).unref();
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  return controller.signal;
}

function endAnyway(): void {
  process.stderr.write(`oka: not everything was closed within ${LONGEST_END_MS / 1000} s; the process ends now\n`);
  process.exit(exits.interrupted);
}
