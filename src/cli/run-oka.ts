/** Owns: from words on the command line to an exit code, in any process. main.ts attaches it to the terminal. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { homeAt, programVersion } from '../daemon/settings.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import { type Call, type Command, type CommandModule, exits } from './command.ts';
import { commands } from './commands.ts';
import { errorText, exitCodeOf } from './error-text.ts';
import { helpOf, overview, usageOf } from './help.ts';
import type { Io } from './io.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import { type Given, readOptions } from './options.ts';
import { openPrinter } from './printer.ts';
import { progressOn } from './progress.ts';

/** Runs one command line to its end. Never throws: an error is printed and becomes an exit code. */
export async function runOka(words: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(words, io);
  } catch (error) {
    io.err(errorText(error));
    return exitCodeOf(error);
  }
}

async function dispatch(words: readonly string[], io: Io): Promise<number> {
  const [first] = words;
  const print = (text: string): number => {
    io.out(text);
    return exits.ok;
  };
  if (first === undefined || ['help', '--help', '-h'].includes(first)) return print(helpFor(words.slice(1)));
  if (first === '--version' || first === '-V') return print(`${programVersion()}\n`);
  const { name, command, rest } = findCommand(words);
  const parsed = parseWords(name, command, rest);
  if (parsed.values['help'] === true) return print(helpOf(name, command));
  return execute(command, parsed, io);
}

async function execute(command: Command, { values, positionals }: Words, io: Io): Promise<number> {
  const options = readOptions(command.options ?? {}, values);
  const home = homeAt(typeof values['dir'] === 'string' ? values['dir'] : undefined);
  const json = command.json === true && values['json'] === true;
  const module = (await command.load()) as unknown as CommandModule<object, unknown>;
  const printer = openPrinter(module, io, { json, home });
  const call: Call = {
    home,
    operands: positionals,
    options,
    json,
    get stdin() {
      return io.stdin;
    },
    emit: printer.data,
    notify: (line) => io.err(`${line}\n`),
    progress: (what, unit) => progressOn(io, what, unit),
    underSupervisor: io.underSupervisor,
    signal: io.signal,
  };
  try {
    return printer.answer(await module.run(call));
  } finally {
    printer.close();
  }
}

function helpFor(words: readonly string[]): string {
  if (words.length === 0) return overview();
  const { name, command } = findCommand(words);
  return helpOf(name, command);
}

/** Names have one word, two or three; the longest one wins. */
function findCommand(words: readonly string[]): { name: string; command: Command; rest: string[] } {
  for (const length of [3, 2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command !== undefined) return { name, command, rest: words.slice(length) };
  }
  throw unknownCommand(words);
}

function unknownCommand(words: readonly string[]): OkaError {
  const names = Object.keys(commands);
  const [first = ''] = words;
  const inFamily = names.filter((name) => name.startsWith(`${first} `));
  const guess = nearestWord(first, names) ?? nearestWord(words.slice(0, 2).join(' '), names);
  const fix =
    inFamily.length > 0
      ? `There is: ${inFamily.map((name) => `oka ${name}`).join(', ')}`
      : guess === null
        ? 'See: oka --help'
        : `Did you mean: oka ${guess}`;
  return new OkaError(
    'usage',
    `there is no command "${(inFamily.length > 0 ? words.slice(0, 2) : [first]).join(' ')}"`,
    { fix },
  );
}

type Words = { values: Record<string, Given>; positionals: string[] };

function parseWords(name: string, command: Command, rest: string[]): Words {
  const options: ParseArgsOptionsConfig = {
    dir: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  };
  for (const [option, { type, several = false }] of Object.entries(command.options ?? {}))
    options[option] = { type, multiple: several };
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
