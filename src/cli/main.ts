/** Attaches the command line to this process: its streams, its signals, its exit code. */
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { exits } from './command-module.ts';
import { hardenProcess } from './harden-process.ts';
import { runOka } from './run-oka.ts';
import { terminalWidth } from './plain-text.ts';

hardenProcess();
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? exits.ok : exits.refused),
);
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
  hasColours: styleText('bold', 'x') !== 'x',
  width: terminalWidth(process.stdout),
  underSupervisor: async (signal, work) => (await import('./supervised-process.ts')).underSupervisor(signal, work),
  openDialog:
    isatty(0) && process.stdout.isTTY ? async () => (await import('./dialog.ts')).openDialog(terminal()) : null,
  openTerminal:
    isatty(0) && process.stdout.isTTY ? async () => (await import('./chat/terminal-device.ts')).openDevice() : null,
});

function terminal(): Parameters<typeof import('./dialog.ts').openDialog>[0] {
  return { input: process.stdin, print: (text) => void process.stdout.write(text), signal };
}

/** The first Ctrl-C asks the command to end; a second one ends the process. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  process.once('SIGTERM', () => controller.abort());
  return controller.signal;
}
