import { vaultOf } from '../../../kit/vault/home-vault.ts';
import { loadConfig } from '../../../kit/settings.ts';
import type { CredentialSource } from '../../../core/schema/credential.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

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
/** One that config.json names; `from` says where its value comes from. */
type ConfiguredSecret = Omit<ListedSecret, 'version' | 'set_at' | 'old'> & { from: string };
type Data = { secrets: ListedSecret[]; configured?: ConfiguredSecret[] };

export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  const contents = await (await vaultOf(home)).read();
  const secrets = Object.entries(contents?.secrets ?? {})
    .filter(([, { value }]) => value !== null)
    .map(([name, { version, tools, hosts, commands = [], header, set_at, old }]) => {
      const added = header === undefined ? {} : { header };
      return { name, version, tools, hosts, commands, ...added, set_at, old: old.length };
    });
  const configured = Object.entries((await loadConfig(home)).credentials).map(describeConfigured);
  return answer({ secrets, ...(configured.length === 0 ? {} : { configured }) });
}

function describeConfigured([name, source]: [string, CredentialSource]): ConfiguredSecret {
  const { env, command, tools, hosts, commands, header } = source;
  const from = env === undefined ? `the command ${command?.[0] ?? ''}` : `the variable ${env}`;
  return { name, from, tools, hosts, commands, ...(header === undefined ? {} : { header }) };
}

export function render({ secrets, configured = [] }: Data, terminal: Terminal): string {
  if (secrets.length + configured.length === 0) return 'There are no secrets yet. Put one in: oka secrets set NAME\n';
  const { dim } = terminal;
  const stored = secrets.map((each) =>
    renderSecret(each, `version ${each.version}, ${dim(`set ${each.set_at.slice(0, 10)}`)}`, terminal),
  );
  const others = configured.map((each) => renderSecret(each, `from ${each.from}`, terminal));
  return [...stored, ...others].join('');
}

function renderSecret(
  { name, tools, hosts, commands, header }: Omit<ConfiguredSecret, 'from'>,
  origin: string,
  { bold, dim }: Terminal,
): string {
  const list = (names: readonly string[]): string => (names.length === 0 ? dim('none') : names.join(', '));
  const head = `${bold(name)}  ${origin}`;
  const named = commands.length === 0 ? '' : `  commands  ${list(commands)}\n`;
  const added = header === undefined ? '' : `  header  ${header}\n`;
  return `${head}\n  tools  ${list(tools)}\n  hosts  ${list(hosts)}\n${named}${added}`;
}
