/** The page of all commands, made from their declarations. */
import { commandSections } from './command-index-text.ts';

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

const sections = await commandSections();

export const commandTables = (table: Table): string =>
  sections
    .map(({ title, commands }) => {
      const rows = commands.map(({ name, command: { operands = '', summary, example } }) => [
        `\`${`oka ${name} ${operands}`.trimEnd()}\``,
        summary,
        `\`${example}\``,
      ]);
      return `## ${title}\n\n${table(['command', 'what it does', 'for example'], rows)}`;
    })
    .join('\n');
