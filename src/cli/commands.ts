/** The table of commands, by what they are for. To add one: a row in a file of table/, a file in commands/. */
import type { Command } from './command.ts';
import { graphs } from './table/graphs.ts';
import { guard } from './table/guard.ts';
import { memory } from './table/memory-commands.ts';
import { replica } from './table/replica.ts';
import { steer } from './table/steer.ts';
import { tools } from './table/tools.ts';
import { upkeep } from './table/upkeep.ts';
import { work } from './table/work.ts';

export const groups: readonly { title: string; commands: Readonly<Record<string, Command>> }[] = [
  { title: 'Work', commands: work },
  { title: 'Answer and steer', commands: steer },
  { title: 'Memory and habits', commands: memory },
  { title: 'Graphs, and looking closer', commands: graphs },
  { title: 'Tools', commands: tools },
  { title: 'Secrets and the guard', commands: guard },
  { title: 'Upkeep', commands: upkeep },
  { title: 'A copy elsewhere', commands: replica },
];

export const commands: Readonly<Record<string, Command>> = Object.assign({}, ...groups.map((group) => group.commands));
