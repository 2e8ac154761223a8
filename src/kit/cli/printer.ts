/**
 * Owns: everything that commands print. A command returns data; here it becomes text, or JSON with --json.
 * Invariants: 1. with --json every line on stdout is one JSON value; 2. notices and progress go to stderr.
 */
import type { Home } from '../../core/schema/home.ts';
import type { Answer, Command } from './command-module.ts';
import { type Io, type Terminal, terminalOf } from './io.ts';

type Printer = {
  /** Prints data as the command's renderer or as JSON. */
  data: (data: unknown) => void;
  answer: (answer: Answer<unknown>) => number;
  /** Prints a text on stderr, above the footer. */
  notice: (text: string) => void;
  close: () => void;
};

/** What it needs of a command. */
type Printed = Pick<Command<object, unknown, unknown>, 'jsonLines' | 'footer'> & {
  render: Render | null;
};

type Render = (data: unknown, terminal: Terminal) => string;

export function openPrinter(command: Printed, io: Io, options: { json: boolean; utc?: boolean; home: Home }): Printer {
  const terminal = terminalOf({
    isTerminal: io.isTerminal,
    hasColours: io.hasColours,
    width: io.width,
    utc: options.utc === true,
  });
  const footer = openFooter(command, io, terminal, options);
  const data = (given: unknown, render = command.render): void =>
    footer.above(options.json ? jsonOf(command, given) : (render?.(given, terminal) ?? ''));
  return {
    data: (given) => data(given),
    notice: (text) => footer.above(text, io.err),
    answer: (given) => {
      const { render } = given;
      if ('data' in given) data(given.data, render && (() => render(terminal)));
      return given.code;
    },
    close: footer.close,
  };
}

function jsonOf(command: Printed, data: unknown): string {
  const lines = command.jsonLines?.(data) ?? [data];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

type Footer = { above: (text: string, write?: (text: string) => void) => void; close: () => void };

const DRAW_EVERY_MS = 500;

/** Draws the command's footer below what is printed, on stderr; without a terminal there is none. */
function openFooter(
  command: Printed,
  io: Io,
  terminal: Terminal,
  { json, home }: { json: boolean; home: Home },
): Footer {
  const { footer } = command;
  if (footer === undefined || json || !io.isErrTerminal)
    return { above: (text, write = io.out) => write(text), close: () => undefined };
  const stop = new AbortController();
  const currentLines = footer(home, terminal, stop.signal);
  let drawn = 0;
  let lines: string[] = [];
  const erase = (): void => {
    if (drawn > 0) io.err(`\u001B[${drawn}A\u001B[J`);
    drawn = 0;
  };
  const draw = (): void => {
    erase();
    if (lines.length > 0) io.err(`${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  const refresh = (): void => {
    const next = currentLines();
    if (next.join('\n') === lines.join('\n')) return;
    lines = next;
    draw();
  };
  const timer = setInterval(refresh, DRAW_EVERY_MS);
  return {
    above: (text, write = io.out) => {
      erase();
      write(text);
      draw();
    },
    close: () => {
      clearInterval(timer);
      stop.abort();
      erase();
    },
  };
}
