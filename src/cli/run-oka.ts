/** Owns: from words on the command line to an exit code, in any process. main.ts attaches it to the terminal. */
import { Readable } from 'node:stream';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { DaemonRoom } from '../daemon/rooms.ts';
import { homeAt, programVersion } from '../daemon/settings.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import { type Call, type Command, type CommandModule, exits } from './command-module.ts';
import { commands } from './commands.ts';
import { contributedCommands } from './contributed-commands.ts';
import { errorText, exitCodeOf } from './error-text.ts';
import { familyHelp, helpOf, overview, usageOf } from './help.ts';
import { type Io, terminalOf } from './io.ts';
import { nearestWord } from '../schema/nearest-word.ts';
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
  if (first === undefined || ['help', '--help', '-h'].includes(first))
    return print(await helpFor(words.slice(1), rooms));
  if (first === '--version' || first === '-V') return print(`${programVersion()}\n`);
  const family = await helpOfFamily(words, rooms);
  if (family !== null) return print(family);
  const { name, command, rest } = await findCommand(words, rooms);
  const parsed = parseWords(name, command, rest);
  if (parsed.values['help'] === true) return print(await helpFor(name.split(' '), rooms));
  return execute(command, parsed, io, rooms);
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

async function helpFor(words: readonly string[], rooms: OkaParts['rooms']): Promise<string> {
  if (words.length === 0) return overview(await contributedCommands(rooms, commands));
  const family = await helpOfFamily(words, rooms);
  if (family !== null) return family;
  const { name, command } = await findCommand(words, rooms);
  const below = familyHelp(name, await allCommands(rooms));
  return [helpOf(name, command), ...(below === null ? [] : [below])].join('\n');
}

/** What there is below a name that is no command itself, such as "graph" or "memory fact --help"; null for others. */
async function helpOfFamily(words: readonly string[], rooms: OkaParts['rooms']): Promise<string | null> {
  const wantsHelp = ['--help', '-h'].includes(words.at(-1) ?? '');
  const name = (wantsHelp ? words.slice(0, -1) : words).join(' ');
  if (name === '' || Object.hasOwn(commands, name)) return null;
  const inTable = familyHelp(name, commands);
  if (inTable === null && commandIn(commands, words) !== null) return null;
  const all = await allCommands(rooms);
  return Object.hasOwn(all, name) ? null : familyHelp(name, all);
}

async function allCommands(rooms: OkaParts['rooms']): Promise<Readonly<Record<string, Command>>> {
  return { ...commands, ...(await contributedCommands(rooms, commands)) };
}

type FoundCommand = { name: string; command: Command; rest: string[] };

/** Rooms are asked for their commands only when the table has none of that name. */
async function findCommand(words: readonly string[], rooms: OkaParts['rooms']): Promise<FoundCommand> {
  const found = commandIn(commands, words);
  if (found !== null && !isFamilyWithoutMember(found)) return found;
  const contributed = await contributedCommands(rooms, commands);
  const ofRoom = commandIn(contributed, words);
  if (ofRoom !== null && found === null) return ofRoom;
  throw unknownCommand(words, [...Object.keys(commands), ...Object.keys(contributed)]);
}

/** A word behind a command that takes none, such as "memory foo", is meant as one of the commands below it. */
function isFamilyWithoutMember({ name, command, rest }: FoundCommand): boolean {
  const [next] = rest;
  if (command.operands !== undefined || next === undefined || next.startsWith('-')) return false;
  return Object.keys(commands).some((each) => each.startsWith(`${name} `));
}

/** Names have one word, two or three; the longest one wins. */
function commandIn(table: Readonly<Record<string, Command>>, words: readonly string[]): FoundCommand | null {
  for (const length of [3, 2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = Object.hasOwn(table, name) ? table[name] : undefined;
    if (command !== undefined) return { name, command, rest: words.slice(length) };
  }
  return null;
}

function unknownCommand(words: readonly string[], names: readonly string[]): OkaError {
  const isFamily = (length: number): boolean =>
    names.some((name) => name.startsWith(`${words.slice(0, length).join(' ')} `));
  const depth = [2, 1].find(isFamily) ?? 0;
  const family = words.slice(0, depth).join(' ');
  const given = words.slice(0, words[depth]?.startsWith('-') ? depth : depth + 1).join(' ');
  const inFamily = names.filter((name) => depth === 0 || name.startsWith(`${family} `));
  const guess = nearestWord(given, inFamily) ?? nearestWord(words.slice(0, 2).join(' '), inFamily);
  const list = `See: oka ${depth === 0 ? '' : `${family} `}--help`;
  return new OkaError('usage', `there is no command "${given}"`, {
    fix: guess === null ? list : `Did you mean: oka ${guess}? ${list}`,
  });
}

type Words = { values: Record<string, Given>; positionals: string[] };

function parseWords(name: string, command: Command, rest: string[]): Words {
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
    throw new OkaError('usage', firstSentence(messageOf(error)), {
      fix: `Usage: ${usageOf(name, command)}; see: oka ${name} --help`,
    });
  }
}

function firstSentence(text: string): string {
  return text.split(/\. |\n/, 1)[0] ?? text;
}
