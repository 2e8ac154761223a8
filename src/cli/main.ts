/** Owns: from words on the command line to an exit code. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { homeAt, programVersion } from '../daemon/settings.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import { type Call, type Command, exits } from './command.ts';
import { commands } from './commands.ts';
import { helpOf, overview, usageOf } from './help.ts';
import { nearestWord } from '../schema/nearest-word.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? exits.ok : exits.refused),
);
process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  try {
    return await dispatch(words);
  } catch (error) {
    return explain(error);
  }
}

async function dispatch(words: readonly string[]): Promise<number> {
  const [first] = words;
  if (first === undefined || ['help', '--help', '-h'].includes(first)) return help(words.slice(1));
  if (first === '--version' || first === '-V') return say(`${programVersion()}\n`);
  const { name, command, rest } = find(words);
  const parsed = parse(name, command, rest);
  if (parsed.values['help'] === true) return say(helpOf(name, command));
  const { run } = await command.load();
  return run(callOf(parsed, command));
}

function help(words: readonly string[]): number {
  if (words.length === 0) return say(overview());
  const { name, command } = find(words);
  return say(helpOf(name, command));
}

function say(text: string): number {
  process.stdout.write(text);
  return exits.ok;
}

/** Names have one word, two or three; the longest one wins. */
function find(words: readonly string[]): { name: string; command: Command; rest: string[] } {
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

type Parsed = { values: Record<string, string | boolean | string[] | undefined>; positionals: string[] };

function parse(name: string, command: Command, rest: string[]): Parsed {
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
    return { values: values as Parsed['values'], positionals };
  } catch (error) {
    throw new OkaError('usage', firstSentence(messageOf(error)), {
      fix: `Usage: ${usageOf(name, command)}; see: oka ${name} --help`,
    });
  }
}

function callOf({ values, positionals }: Parsed, command: Command): Call {
  const text = (option: string): string | undefined =>
    typeof values[option] === 'string' ? values[option] : undefined;
  return {
    home: homeAt(text('dir')),
    operands: positionals,
    text,
    texts: (option) => (Array.isArray(values[option]) ? values[option] : []),
    flag: (option) => values[option] === true,
    count: (option) => countOf(option, text(option)),
    json: command.json === true && values['json'] === true,
    out: (line) => void process.stdout.write(line),
    err: (line) => void process.stderr.write(line),
    signal: interruption(),
  };
}

function countOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new OkaError('usage', `--${option} takes a whole number, not "${text}"`);
}

/** The first Ctrl-C asks the command to end; a second one ends the process. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  process.once('SIGTERM', () => controller.abort());
  return controller.signal;
}

function explain(error: unknown): number {
  if (!(error instanceof OkaError)) {
    process.stderr.write(
      `oka: something went wrong inside oka itself\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return exits.refused;
  }
  process.stderr.write(`oka: ${error.message}\n${error.fix === undefined ? '' : `     ${error.fix}\n`}`);
  return error.code === 'usage' ? exits.usage : error.code === 'ledger-damaged' ? exits.no : exits.refused;
}

function firstSentence(text: string): string {
  return text.split(/\. |\n/, 1)[0] ?? text;
}
