/**
 * Owns: finding what words on the command line mean among all commands, and help about them. The generated index knows
 * every name and summary; a file of commands is loaded only for a command of its own.
 */
import type { HouseRoom } from '../../kit/house/house.ts';
import type { OkaError } from '../../core/schema/errors.ts';
import { commandIndex } from './command-index.ts';
import type { Command, Commands, IndexedCommand, IndexedGroup } from '../../kit/cli/command-module.ts';

type Rooms = readonly HouseRoom[] | undefined;

type Index = Readonly<Record<string, IndexedCommand>>;

export type FoundCommand = { name: string; command: Command; rest: string[] };

/** The command that words begin with, or help about a family of commands. */
export async function findOrHelp(words: readonly string[], rooms: Rooms): Promise<FoundCommand | { help: string }> {
  const index = indexOf(await groupsWith(rooms));
  const help = await helpOfFamily(words, index);
  return help === null ? findCommand(words, index) : { help };
}

/** Help about a command or a family of them; without a word the commands of a person's week, with `all` everything. */
export async function helpFor(words: readonly string[], rooms: Rooms): Promise<string> {
  const [groups, { everything, familyHelp, helpOf, shortOverview }] = await Promise.all([
    groupsWith(rooms),
    import('./help.ts'),
  ]);
  if (words.length === 0) return shortOverview(groups);
  if (words.length === 1 && words[0] === 'all') return everything(groups);
  const index = indexOf(groups);
  const family = await helpOfFamily(words, index);
  if (family !== null) return family;
  const { name, command } = await findCommand(words, index);
  const below = familyHelp(name, await membersOf(name, index));
  return [helpOf(name, command), ...(below === null ? [] : [below])].join('\n');
}

/** Other rooms than those of the product are asked for their commands. */
async function groupsWith(rooms: Rooms): Promise<readonly IndexedGroup[]> {
  if (rooms === undefined) return commandIndex;
  const taken = indexOf(commandIndex);
  const commands: Record<string, IndexedCommand> = {};
  for (const { name: room, commands: load } of rooms) {
    if (load === undefined) continue;
    for (const [name, { summary }] of Object.entries(await load())) {
      if (Object.hasOwn(taken, name) || Object.hasOwn(commands, name))
        throw await failure('refused', `the room ${room} contributes a command that exists already: oka ${name}`);
      commands[name] = [summary, async () => ({ commands: (await load()) as Commands })];
    }
  }
  return Object.keys(commands).length === 0 ? commandIndex : [...commandIndex, { title: 'More', commands }];
}

const indexOf = (groups: readonly IndexedGroup[]): Index =>
  Object.assign({}, ...groups.map(({ commands }) => commands)) as Index;

/** What there is below a name that is no command itself, such as "graph" or "memory fact --help"; null for others. */
async function helpOfFamily(words: readonly string[], index: Index): Promise<string | null> {
  const wantsHelp = ['--help', '-h'].includes(words.at(-1) ?? '');
  const name = (wantsHelp ? words.slice(0, -1) : words).join(' ');
  if (name === '' || Object.hasOwn(index, name)) return null;
  const members = await membersOf(name, index);
  return Object.keys(members).length === 0 ? null : (await import('./help.ts')).familyHelp(name, members);
}

const namesBelow = (name: string, index: Index): string[] =>
  Object.keys(index).filter((each) => each.startsWith(`${name} `));

/** The commands below a name, in the order of the index. */
async function membersOf(name: string, index: Index): Promise<Commands> {
  const members: Record<string, Command> = {};
  for (const each of namesBelow(name, index)) members[each] = await loadCommand(each, index);
  return members;
}

/** Names have one word, two or three; the longest one wins. */
async function findCommand(words: readonly string[], index: Index): Promise<FoundCommand> {
  const length = [3, 2, 1].find((each) => Object.hasOwn(index, words.slice(0, each).join(' ')));
  if (length === undefined) throw await unknownCommand(words, Object.keys(index));
  const name = words.slice(0, length).join(' ');
  const found = { name, command: await loadCommand(name, index), rest: words.slice(length) };
  if (isFamilyWithoutMember(found, index)) throw await unknownCommand(words, Object.keys(index));
  return found;
}

async function loadCommand(name: string, index: Index): Promise<Command> {
  const command = (await index[name]?.[1]())?.commands[name];
  if (command === undefined) throw new Error(`the index of commands is out of date: ${name}; see: npm run docs`);
  return command;
}

/** A word behind a command that takes none, such as "memory foo", is meant as one of the commands below it. */
function isFamilyWithoutMember({ name, command, rest: [next] }: FoundCommand, index: Index): boolean {
  if (command.operands !== undefined || next === undefined || next.startsWith('-')) return false;
  return namesBelow(name, index).length > 0;
}

async function failure(...given: ConstructorParameters<typeof OkaError>): Promise<OkaError> {
  return new (await import('../../core/schema/errors.ts')).OkaError(...given);
}

async function unknownCommand(words: readonly string[], names: readonly string[]): Promise<OkaError> {
  const { nearestWord } = await import('../../core/schema/nearest-word.ts');
  const isFamily = (length: number): boolean =>
    names.some((name) => name.startsWith(`${words.slice(0, length).join(' ')} `));
  const depth = [2, 1].find(isFamily) ?? 0;
  const family = words.slice(0, depth).join(' ');
  const given = words.slice(0, words[depth]?.startsWith('-') ? depth : depth + 1).join(' ');
  const inFamily = names.filter((name) => depth === 0 || name.startsWith(`${family} `));
  const guess = nearestWord(given, inFamily) ?? nearestWord(words.slice(0, 2).join(' '), inFamily);
  const list = `See: oka ${depth === 0 ? '' : `${family} `}--help`;
  return failure('usage', `there is no command "${given === '' ? words[0] : given}"`, {
    fix: guess === null ? list : `Did you mean: oka ${guess}? ${list}`,
  });
}
