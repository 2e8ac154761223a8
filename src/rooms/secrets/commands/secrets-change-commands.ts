/** Changes of the vault. */
import { hiddenAnswer } from '../../../kit/vault/hidden-prompt.ts';
import { knownToolNames } from '../../../kit/house/room-contributions.ts';
import { requireSecret, withoutSecret, withValue } from '../../../kit/vault/vault-contents.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { SecretCommand, SecretHost, SecretTool } from '../../../core/schema/secret.ts';
import { assertSecretHeader } from '../../../core/chain/secret-header.ts';
import { assertNameable } from '../../../core/chain/secret-command.ts';
import { type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { changeSecret, onlyName, renderSecretChange, valueFor } from '../../../kit/cli/secret-changes.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { flag, text, texts } from '../../../kit/cli/options.ts';

type SetCall = Call<{
  tool: readonly string[];
  host: readonly string[];
  command: readonly string[];
  header: string | undefined;
  passphrase: boolean;
}>;

type Rules = { tools: string[]; hosts: string[]; commands: string[] };

export const commands: Commands = {
  'secrets set': command({
    summary: 'Put a secret into the vault; the value is typed in or piped, never an argument',
    operands: '<name>',
    options: {
      tool: texts('TOOL', 'A tool that may have it; repeat for more.'),
      host: texts('HOST', 'A host it may be sent to; repeat for more.'),
      command: texts('COMMAND', 'A command of a model that may have it, with --tool shell; repeat for more.'),
      header: text(
        'HEADER',
        'For commands: the proxy adds this header, with {} for the value, to requests to the hosts; no command gets the value.',
      ),
      passphrase: flag('With the first secret: wrap the new key with a passphrase.'),
    },
    example: 'oka secrets set GITHUB_TOKEN --tool http.request --host api.github.com',
    run: async (call) => {
      const name = onlyName(call);
      await requireHome(call.home);
      const rules = (await modelKeyRules(call, name)) ?? {
        tools: await toolsOf(call),
        hosts: hostsOf(call),
        commands: commandsOf(call),
        ...headerOf(call),
      };
      const value = await valueFor(call, name);
      const made = call.options.passphrase ? { passphrase: await newPassphrase() } : {};
      const now = new Date().toISOString();
      return changeSecret(
        call,
        name,
        (contents) => {
          const after = withValue(contents, name, value, now, rules);
          return { contents: after, change: { version: after.secrets[name]?.version ?? 1, change: 'set' } };
        },
        made,
      );
    },
    render: renderSecretChange,
  }),
  'secrets rotate': command({
    summary: 'Give a secret a new value; the old one is still redacted everywhere',
    operands: '<name>',
    example: 'oka secrets rotate GITHUB_TOKEN',
    run: async (call) => {
      const name = onlyName(call);
      await requireHome(call.home);
      const value = await valueFor(call, name);
      const now = new Date().toISOString();
      return changeSecret(call, name, (contents) => {
        if (requireSecret(contents, name).value === value)
          throw new OkaError('usage', `${name} has this value already`, { fix: 'Get a new one where it comes from.' });
        const after = withValue(contents, name, value, now);
        return { contents: after, change: { version: after.secrets[name]?.version ?? 1, change: 'rotated' } };
      });
    },
    render: renderSecretChange,
  }),
  'secrets rm': command({
    summary: 'Remove a secret; its value is still redacted everywhere',
    operands: '<name>',
    options: { forget: flag('Also stop redacting its values.') },
    example: 'oka secrets rm GITHUB_TOKEN',
    run: async (call) => {
      const name = onlyOperand(call, 'name');
      return changeSecret(call, name, (contents) => ({
        contents: withoutSecret(contents, name, call.options.forget),
        change: { version: requireSecret(contents, name).version, change: 'removed' },
      }));
    },
    render: renderSecretChange,
  }),
};

/** The key of a model is for models, and for the address that they are called at; null for other secrets. */
async function modelKeyRules(call: SetCall, name: string): Promise<Rules | null> {
  const { home, options, notify, rooms } = call;
  if (options.tool.length > 0 || options.command.length > 0 || options.header !== undefined) return null;
  const { modelKeyHosts } = await import('../../../kit/models/configured-models.ts');
  const found = await modelKeyHosts(home, name, rooms);
  if (found === null) return null;
  const hosts = options.host.length > 0 ? hostsOf(call) : found;
  if (hosts.length === 0)
    throw new OkaError('usage', `${name} is the key of a model, and the address of that model is not known`, {
      fix: `Say it: oka secrets set ${name} --host HOST[:PORT]`,
    });
  notify(`oka: ${name} is the key of a model: it is sent to ${hosts.join(', ')} and nowhere else`);
  return { tools: ['model.complete'], hosts, commands: [] };
}

async function toolsOf({ options, notify }: SetCall): Promise<string[]> {
  const tools = [...new Set(options.tool)];
  const odd = tools.find((tool) => !SecretTool.safeParse(tool).success);
  if (odd !== undefined) throw new OkaError('usage', `"${odd}" cannot be the name of a tool`);
  const known = await knownToolNames();
  for (const tool of tools.filter((each) => !known.includes(each)))
    notify(`oka: note: there is no tool "${tool}" today; there is: ${known.join(', ')}`);
  if (tools.length === 0) notify('oka: note: without --tool no tool may use it; it is only redacted');
  else if (tools.some((tool) => tool.startsWith('http.')) && options.host.length === 0)
    notify('oka: note: without --host it can be sent nowhere');
  return tools;
}

function hostsOf({ options }: SetCall): string[] {
  return options.host.map((host) => {
    const parsed = SecretHost.safeParse(host.toLowerCase());
    if (parsed.success) return parsed.data;
    throw new OkaError('usage', `"${host}" is not a host`, {
      fix: 'Write api.example.org, or api.example.org:8443; no https:// and no *.',
    });
  });
}

function commandsOf({ options, notify }: SetCall): string[] {
  if (options.tool.includes('shell') && options.command.length === 0)
    notify('oka: note: without --command no command that a model writes may have it');
  return options.command.map((command) => {
    const parsed = SecretCommand.safeParse(command.trim().replaceAll(/ +/g, ' '));
    if (!parsed.success)
      throw new OkaError('usage', `"${command}" is not a program with its first words`, {
        fix: 'Write gh, or "git push"; no path and nothing that the shell expands.',
      });
    assertNameable(parsed.data);
    return parsed.data;
  });
}

function headerOf({ options }: SetCall): { header?: string } {
  const { header, tool, host } = options;
  if (header === undefined) return {};
  assertSecretHeader(header);
  if (tool.includes('shell') && host.length > 0) return { header };
  throw new OkaError('usage', '--header is for commands, and for the hosts that it is sent to', {
    fix: 'Add --tool shell and --host HOST.',
  });
}

async function newPassphrase(): Promise<string> {
  const passphrase = await hiddenAnswer('New passphrase for the key: ');
  if (passphrase.length < 10) throw new OkaError('usage', 'a passphrase needs at least 10 characters');
  if ((await hiddenAnswer('The same again: ')) !== passphrase)
    throw new OkaError('usage', 'the two passphrases differ; nothing was changed');
  return passphrase;
}
