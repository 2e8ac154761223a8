/** Owns: finding what words on the command line mean among all commands, and help about them. */
import type { DaemonRoom } from '../daemon/rooms.ts';
import { OkaError } from '../schema/errors.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { Command } from './command-module.ts';
import { commandIn, type FoundCommand, isFamilyWithoutMember } from './command-names.ts';
import { commands } from './commands.ts';
import { contributedCommands } from './contributed-commands.ts';
import { familyHelp, helpOf, overview } from './help.ts';

type Rooms = readonly DaemonRoom[] | undefined;

/** The command that words begin with, or help about a family of commands. */
export async function findOrHelp(words: readonly string[], rooms: Rooms): Promise<FoundCommand | { help: string }> {
  const help = await helpOfFamily(words, rooms);
  return help === null ? findCommand(words, rooms) : { help };
}

/** Help about a command, a family of them, or everything. */
export async function helpFor(words: readonly string[], rooms: Rooms): Promise<string> {
  if (words.length === 0) return overview(await contributedCommands(rooms, commands));
  const family = await helpOfFamily(words, rooms);
  if (family !== null) return family;
  const { name, command } = await findCommand(words, rooms);
  const below = familyHelp(name, await allCommands(rooms));
  return [helpOf(name, command), ...(below === null ? [] : [below])].join('\n');
}

/** What there is below a name that is no command itself, such as "graph" or "memory fact --help"; null for others. */
async function helpOfFamily(words: readonly string[], rooms: Rooms): Promise<string | null> {
  const wantsHelp = ['--help', '-h'].includes(words.at(-1) ?? '');
  const name = (wantsHelp ? words.slice(0, -1) : words).join(' ');
  if (name === '' || Object.hasOwn(commands, name)) return null;
  const inTable = familyHelp(name, commands);
  if (inTable === null && commandIn(commands, words) !== null) return null;
  const all = await allCommands(rooms);
  return Object.hasOwn(all, name) ? null : familyHelp(name, all);
}

async function allCommands(rooms: Rooms): Promise<Readonly<Record<string, Command>>> {
  return { ...commands, ...(await contributedCommands(rooms, commands)) };
}

/** Rooms are asked for their commands only when the table has none of that name. */
async function findCommand(words: readonly string[], rooms: Rooms): Promise<FoundCommand> {
  const found = commandIn(commands, words);
  if (found !== null && !isFamilyWithoutMember(found, commands)) return found;
  const contributed = await contributedCommands(rooms, commands);
  const ofRoom = commandIn(contributed, words);
  if (ofRoom !== null && found === null) return ofRoom;
  throw unknownCommand(words, [...Object.keys(commands), ...Object.keys(contributed)]);
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
