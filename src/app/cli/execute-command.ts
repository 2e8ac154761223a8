/** Owns: running one command that was found: its options, its module, and what it prints. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { homeAt } from '../../kit/settings.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Call, Command } from '../../kit/cli/command-module.ts';
import type { FoundCommand } from './find-command.ts';
import { type Io, terminalOf } from '../../kit/cli/io.ts';
import { type Given, readOptions } from '../../kit/cli/options.ts';
import { openPrinter } from '../../kit/cli/printer.ts';
import { progressOn } from '../../kit/cli/progress.ts';

type Words = { values: Record<string, Given>; positionals: string[] };

export async function execute(
  declared: Command,
  { values, positionals }: Words,
  io: Io,
  { rooms, runOther }: Pick<Call, 'rooms' | 'runOther'>,
): Promise<number> {
  const command = declared as unknown as Command<object, unknown, unknown>;
  const options = readOptions(command.options ?? {}, values);
  const home = homeAt(typeof values['dir'] === 'string' ? values['dir'] : undefined);
  const json = command.json !== false && values['json'] === true;
  const render =
    command.render === undefined ? (await import('../../kit/cli/render-data.ts')).renderData : command.render;
  const printer = openPrinter({ ...command, render }, io, { json, utc: values['utc'] === true, home });
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
    runOther,
    signal: io.signal,
    rooms,
  };
  try {
    return printer.answer(await command.run(call));
  } finally {
    printer.close();
  }
}

/** The words behind the name of a command, by the options that it declares. */
export async function parseWords({ name, command, rest }: FoundCommand): Promise<Words> {
  const options: ParseArgsOptionsConfig = {
    dir: { type: 'string' },
    json: { type: 'boolean' },
    utc: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  };
  for (const [option, { type, short, several = false }] of Object.entries(command.options ?? {}))
    options[option] = { type, multiple: several, ...(short === undefined ? {} : { short }) };
  try {
    const { values, positionals } = process.getBuiltinModule('node:util').parseArgs({
      args: rest,
      options,
      allowPositionals: command.operands !== undefined,
      strict: true,
    });
    if (values['json'] === true && command.json === false) throw new Error(`oka ${name} has no --json`);
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
