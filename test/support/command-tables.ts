/** The page of all commands, made from their declarations. */
import { groups } from '../../src/app/cli/commands.ts';
import { contributedCommands } from '../../src/app/cli/contributed-commands.ts';
import { rooms } from '../../src/app/rooms.ts';

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

const declared = Object.assign({}, ...groups.map(({ commands }) => commands));
const contributed = { title: 'More', commands: contributedCommands(rooms, declared) };

export const commandSections = (table: Table): string =>
  [...groups, contributed]
    .map(({ title, commands }) => {
      const rows = Object.entries(commands).map(([name, { operands = '', summary, example }]) => [
        `\`${`oka ${name} ${operands}`.trimEnd()}\``,
        summary,
        `\`${example}\``,
      ]);
      return `## ${title}\n\n${table(['command', 'what it does', 'for example'], rows)}`;
    })
    .join('\n');
