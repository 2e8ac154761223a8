/** Owns: from words on the command line to an exit code, in any process. main.ts attaches it to the terminal. */
import { Readable } from 'node:stream';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { DaemonRoom } from '../daemon/rooms.ts';
import { homeAt, programVersion } from '../daemon/settings.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import { type Call, type Command, type CommandModule, exits } from './command-module.ts';
import { commandIn, type FoundCommand, isFamilyWithoutMember } from './command-names.ts';
import { errorText, exitCodeOf } from './error-text.ts';
import { type Io, terminalOf } from './io.ts';
import { type Given, readOptions } from './options.ts';
import { openPrinter } from './printer.ts';
import { progressOn } from './progress.ts';

/** Other rooms than those of the product are for tests and embedders. */
export type OkaParts = { rooms?: readonly DaemonRoom[] };

/** Runs one command line to its end. Never throws: an error is printed and becomes an exit code. */
export async function runOka(words: readonly string[], io: Io, { rooms }: OkaParts = {}): Promise<number> {
  try {
    return await dispatch(words, io, rooms);
  } catch (error) {
    if (io.signal.aborted && error === io.signal.reason) return exits.interrupted;
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
  if (first === '--version' || first === '-V') return print(`${programVersion()}\n`);
  const helpFor = async (about: readonly string[]): Promise<string> =>
    (await import('./find-command.ts')).helpFor(about, rooms);
  if (first === undefined || ['help', '--help', '-h'].includes(first)) return print(await helpFor(words.slice(1)));
  const found = (await findInOwnTable(words)) ?? (await (await import('./find-command.ts')).findOrHelp(words, rooms));
  if ('help' in found) return print(found.help);
  const { name, command, rest } = found;
  const parsed = await parseWords(name, command, rest);
  if (parsed.values['help'] === true) return print(await helpFor(name.split(' ')));
  return execute(command, parsed, io, rooms);
}

/** Families that scripts call often; all of their commands are in one table, and only that one is loaded. */
const OWN_TABLES: Readonly<Record<string, () => Promise<Readonly<Record<string, Command>>>>> = {
  chat: async () => (await import('./table/chat-commands.ts')).chat,
};

/** Null for everything else than one of their commands, complete and without a mistake in its name. */
async function findInOwnTable(words: readonly string[]): Promise<FoundCommand | null> {
  const [first = ''] = words;
  if (!Object.hasOwn(OWN_TABLES, first)) return null;
  const table = (await OWN_TABLES[first]?.()) ?? {};
  const found = commandIn(table, words);
  return found === null || isFamilyWithoutMember(found, table) ? null : found;
}

async function execute(
  command: Command,
  { values, positionals }: Words,
  io: Io,
  rooms: OkaParts['rooms'],
): Promise<number> {
  const options = readOptions(command.options ?? {}, values);
  const home = homeAt(typeof values['dir'] === 'string' ? values['dir'] : undefined);
  const json = command.json === true && values['json'] === true;
  const module = (await command.load()) as unknown as CommandModule<object, unknown>;
  const printer = openPrinter(module, io, { json, utc: values['utc'] === true, home });
  const call: Call = {
    home,
    operands: positionals,
    options,
    json,
    get stdin() {
      return io.stdin;
    },
    emit: printer.data,
    notify: (line) => printer.notice(`${line}\n`),
    progress: (what, unit) => progressOn(io, what, unit),
    underSupervisor: io.underSupervisor,
    openDialog: io.openDialog,
    openTerminal: io.openTerminal,
    terminal: terminalOf({ ...io, utc: values['utc'] === true }),
    runOther: (words) => runOther(words, io, rooms),
    signal: io.signal,
    rooms,
  };
  try {
    return printer.answer(await module.run(call));
  } finally {
    printer.close();
  }
}

/** A command inside another one: nobody is asked, and what it prints is returned. */
async function runOther(
  words: readonly string[],
  io: Io,
  rooms: OkaParts['rooms'],
): Promise<{ code: number; printed: string }> {
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

type Words = { values: Record<string, Given>; positionals: string[] };

async function parseWords(name: string, command: Command, rest: string[]): Promise<Words> {
  const options: ParseArgsOptionsConfig = {
    dir: { type: 'string' },
    json: { type: 'boolean' },
    utc: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  };
  for (const [option, { type, short, several = false }] of Object.entries(command.options ?? {}))
    options[option] = { type, multiple: several, ...(short === undefined ? {} : { short }) };
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      options,
      allowPositionals: command.operands !== undefined,
      strict: true,
    });
    if (values['json'] === true && command.json !== true) throw new Error(`oka ${name} has no --json`);
    return { values: values as Words['values'], positionals };
  } catch (error) {
    const { usageOf } = await import('./help.ts');
    throw new OkaError('usage', firstSentence(messageOf(error)), {
      fix: `Usage: ${usageOf(name, command)}; see: oka ${name} --help`,
    });
  }
}

function firstSentence(text: string): string {
  return text.split(/\. |\n/, 1)[0] ?? text;
}
