import { vaultOf } from '../../daemon/guard/home-vault.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { requireHome } from '../require-home.ts';

type ListedSecret = {
  name: string;
  version: number;
  tools: readonly string[];
  hosts: readonly string[];
  commands: readonly string[];
  header?: string;
  set_at: string;
  old: number;
};
type Data = { secrets: ListedSecret[] };

export async function run({ home }: Call): Promise<Answer<Data>> {
  requireHome(home);
  const contents = await (await vaultOf(home)).read();
  const secrets = Object.entries(contents?.secrets ?? {})
    .filter(([, { value }]) => value !== null)
    .map(([name, { version, tools, hosts, commands = [], header, set_at, old }]) => {
      const added = header === undefined ? {} : { header };
      return { name, version, tools, hosts, commands, ...added, set_at, old: old.length };
    });
  return answer({ secrets });
}

export function render({ secrets }: Data, terminal: Terminal): string {
  if (secrets.length === 0) return 'There are no secrets yet. Put one in: oka secrets set NAME\n';
  return secrets.map((secret) => renderSecret(secret, terminal)).join('');
}

function renderSecret(
  { name, version, tools, hosts, commands, header, set_at }: ListedSecret,
  { bold, dim }: Terminal,
): string {
  const list = (names: readonly string[]): string => (names.length === 0 ? dim('none') : names.join(', '));
  const head = `${bold(name)}  version ${version}, ${dim(`set ${set_at.slice(0, 10)}`)}`;
  const named = commands.length === 0 ? '' : `  commands  ${list(commands)}\n`;
  const added = header === undefined ? '' : `  header  ${header}\n`;
  return `${head}\n  tools  ${list(tools)}\n  hosts  ${list(hosts)}\n${named}${added}`;
}
