import { peek } from '../../ledger/peek.ts';
import { commandsOf, dependencies } from '../../tools/deps/kept.ts';
import { type Call, exits } from '../command.ts';
import { bold, bytes, dim, fitText, plainText, WIDTH } from '../plain-text.ts';

export async function run({ home, json, out }: Call): Promise<number> {
  const { state } = await peek(home.ledgers.run, home.oka, dependencies);
  const tools = Object.entries(state.installed);
  if (json) out(`${JSON.stringify({ tools: tools.map(([id, tool]) => ({ id, ...tool })) })}\n`);
  else if (tools.length === 0) out('No tools are installed yet. They come when a task needs them.\n');
  else
    for (const [id, tool] of tools) {
      const { version, bytes: size, at, used, why, for_run, from } = tool;
      out(`${bold(id)} ${version}  ${dim(`${bytes(size)}, from ${plainText(from)}`)}\n`);
      out(`  commands   ${fitText(commandsOf(tool).join(', '), WIDTH - 13)}\n`);
      out(`  installed  ${at.slice(0, 10)}${for_run === null ? '' : ` for ${for_run}`}\n`);
      out(`  last used  ${used === null ? dim('not yet') : used.slice(0, 10)}\n`);
      out(`  why        ${fitText(plainText(why), WIDTH - 13)}\n`);
    }
  return exits.ok;
}
