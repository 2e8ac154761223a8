import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { installedCommands, dependencies, type Installed } from '../../../kit/requests/dependency-state.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { bytes, indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';

type ListedTool = { id: string } & Installed;
type Data = { tools: ListedTool[] };

export async function run({ home }: Call): Promise<Answer<Data>> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, dependencies);
  return answer({ tools: Object.entries(state.installed).map(([id, tool]) => ({ id, ...tool })) });
}

export function render({ tools }: Data, terminal: Terminal): string {
  if (tools.length === 0) return 'No tools are installed yet. They are installed when a task needs them.\n';
  return tools.map((tool) => renderTool(tool, terminal)).join('');
}

function renderTool(tool: ListedTool, terminal: Terminal): string {
  const { bold, dim } = terminal;
  const { id, version, bytes: size, at, used, why, for_run, from } = tool;
  const lines = [
    `${bold(id)} ${version}  ${dim(`${bytes(size)}, from ${plainText(from)}`)}`,
    indentWrapped(`commands   ${installedCommands(tool).join(', ')}`, '  ', terminal),
    `  installed  ${at.slice(0, 10)}${for_run === null ? '' : ` for ${for_run}`}`,
    `  last used  ${used === null ? dim('not yet') : used.slice(0, 10)}`,
    indentWrapped(`why        ${why}`, '  ', terminal),
  ];
  return `${lines.join('\n')}\n`;
}
