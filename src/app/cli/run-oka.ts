/**
 * Owns: from words on the command line to an exit code, in any process. main.ts attaches it to the terminal.
 * What runs a command is loaded once there is one to run: help and mistakes need none of it.
 */
import { type HouseRoom, setRooms } from '../../kit/house/house.ts';
import { exits } from '../../kit/cli/command-module.ts';
import type { Io } from '../../kit/cli/io.ts';

setRooms(async () => (await import('../rooms.ts')).rooms);

/** Other rooms than those of the product are for tests and embedders. */
type OkaParts = { rooms?: readonly HouseRoom[] };

/** Runs one command line to its end. Never throws: an error is printed and becomes an exit code. */
export async function runOka(words: readonly string[], io: Io, { rooms }: OkaParts = {}): Promise<number> {
  try {
    return await dispatch(words, io, rooms);
  } catch (error) {
    if (io.signal.aborted && error === io.signal.reason) return exits.interrupted;
    const { errorText, exitCodeOf } = await import('../../kit/cli/error-text.ts');
    io.err(errorText(error));
    return exitCodeOf(error);
  }
}

async function dispatch(words: readonly string[], io: Io, rooms: OkaParts['rooms']): Promise<number> {
  const [first] = words;
  const print = (text: string): number => {
    io.out(text);
    return exits.ok;
  };
  if (first === '--version' || first === '-V')
    return print(`${(await import('../../kit/settings.ts')).programVersion()}\n`);
  const { findOrHelp, helpFor } = await import('./find-command.ts');
  const isAlone = first === undefined || ['--dir', '--json', '--utc'].includes(first);
  const meant = isAlone ? (await import('./without-command.ts')).withoutCommand(words) : null;
  if (meant !== null) return dispatch(meant, io, rooms);
  if (isAlone || ['help', '--help', '-h'].includes(first))
    return print(await helpFor(isAlone ? [] : words.slice(1), rooms));
  const found = await findOrHelp(words, rooms);
  if ('help' in found) return print(found.help);
  const { execute, parseWords } = await import('./execute-command.ts');
  const parsed = await parseWords(found);
  if (parsed.values['help'] === true) return print(await helpFor(found.name.split(' '), rooms));
  return execute(found.command, parsed, io, { rooms, runOther: (other) => runOther(other, io, rooms) });
}

/** A command inside another one: nobody is asked, and what it prints is returned. */
async function runOther(
  words: readonly string[],
  io: Io,
  rooms: OkaParts['rooms'],
): Promise<{ code: number; printed: string }> {
  const { Readable } = await import('node:stream');
  let printed = '';
  const print = (text: string): void => void (printed += text);
  const inner: Io = {
    ...io,
    out: print,
    err: print,
    stdin: Readable.from([]),
    isErrTerminal: false,
    openDialog: null,
    openTerminal: null,
  };
  return { code: await runOka(words, inner, rooms === undefined ? {} : { rooms }), printed };
}
