/** The secrets in the vault, never their values. */
import { vaultOf } from '../../../kit/vault/home-vault.ts';
import { loadConfig } from '../../../kit/settings.ts';
import type { CredentialSource } from '../../../core/schema/credential.ts';
import { answer, command, type Commands } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { SecretUse } from '../../../core/schema/view-answers.ts';
import { secretUse } from '../../../kit/views/secret-view.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { fitText, plainText } from '../../../kit/cli/plain-text.ts';
import { limit } from '../../../kit/cli/shared-options.ts';

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

export const commands: Commands = {
  'secrets list': command({
    summary: 'List the secrets, never their values',
    example: 'oka secrets list',
    run: async ({ home }) => {
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
    },
    render: ({ secrets, configured = [] }, terminal) => {
      if (secrets.length + configured.length === 0)
        return 'There are no secrets yet. Put one in: oka secrets set NAME\n';
      const { dim } = terminal;
      const stored = secrets.map((each) =>
        renderSecret(each, `version ${each.version}, ${dim(`set ${each.set_at.slice(0, 10)}`)}`, terminal),
      );
      const others = configured.map((each) => renderSecret(each, `from ${each.from}`, terminal));
      return [...stored, ...others].join('');
    },
  }),
  'secrets show-usage': command({
    summary: 'List the calls that were given a secret',
    operands: '[name]',
    options: { limit },
    example: 'oka secrets show-usage GITHUB_TOKEN',
    run: async (call) => {
      const { home, operands, options } = call;
      await requireHome(home);
      const [name, ...more] = operands;
      if (more.length > 0) throw new OkaError('usage', 'one name is enough');
      return answer({ name, uses: await readViews(call, (rows) => secretUse(rows, { name, limit: options.limit })) });
    },
    render: ({ name, uses }, terminal) => {
      if (uses.length === 0) return name === undefined ? 'No secret was used yet.\n' : `${name} was not used yet.\n`;
      return uses.map((use) => renderUse(use, terminal)).join('');
    },
    jsonLines: ({ uses }) => [{ uses }],
  }),
  'secrets export-recipient': command({
    summary: 'Print the public key of the vault: what others encrypt to',
    example: 'oka secrets export-recipient',
    run: async ({ home }) => {
      await requireHome(home);
      return answer({ recipient: await (await vaultOf(home)).recipient() });
    },
    render: ({ recipient }) => `${recipient}\n`,
  }),
};

function describeConfigured([name, source]: [string, CredentialSource]): ConfiguredSecret {
  const { env, command, tools, hosts, commands, header } = source;
  const from = env === undefined ? `the command ${command?.[0] ?? ''}` : `the variable ${env}`;
  return { name, from, tools, hosts, commands, ...(header === undefined ? {} : { header }) };
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

function renderUse({ at, name, version, tool, host, call, fingerprint }: SecretUse, { dim, width }: Terminal): string {
  const to = `${tool}${host === null ? '' : ` for ${host}`}`;
  const where = fitText(plainText(`${to}, call ${call}`), width - 50);
  return `${dim(at.slice(0, 19))}  ${name} v${version}  ${where}  ${dim(fingerprint.slice(0, 8))}\n`;
}
