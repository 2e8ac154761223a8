/** The words at the beginning of a command line, and the command of a table that they name. */
import type { Command } from './command-module.ts';

export type FoundCommand = { name: string; command: Command; rest: string[] };

/** Names have one word, two or three; the longest one wins. */
export function commandIn(table: Readonly<Record<string, Command>>, words: readonly string[]): FoundCommand | null {
  for (const length of [3, 2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = Object.hasOwn(table, name) ? table[name] : undefined;
    if (command !== undefined) return { name, command, rest: words.slice(length) };
  }
  return null;
}

/** A word behind a command that takes none, such as "memory foo", is meant as one of the commands below it. */
export function isFamilyWithoutMember(
  { name, command, rest }: FoundCommand,
  table: Readonly<Record<string, Command>>,
): boolean {
  const [next] = rest;
  if (command.operands !== undefined || next === undefined || next.startsWith('-')) return false;
  return Object.keys(table).some((each) => each.startsWith(`${name} `));
}
