import { hiddenAnswer } from '../../daemon/guard/hidden-prompt.ts';
import { toolNames } from '../../daemon/tool-names.ts';
import { withValue } from '../../guard/vault-contents.ts';
import { OkaError } from '../../schema/errors.ts';
import { SecretHost, SecretTool } from '../../schema/secret.ts';
import type { Call } from '../command.ts';
import { assertSetUp, changeSecret, onlyName, valueFor } from '../secret-changes.ts';

export async function run(call: Call): Promise<number> {
  const name = onlyName(call);
  assertSetUp(call);
  const rules = { tools: toolsOf(call), hosts: hostsOf(call) };
  const value = await valueFor(call, name);
  const made = call.flag('passphrase') ? { passphrase: await newPassphrase() } : {};
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
}

function toolsOf({ texts, err }: Call): string[] {
  const tools = [...new Set(texts('tool'))];
  const odd = tools.find((tool) => !SecretTool.safeParse(tool).success);
  if (odd !== undefined) throw new OkaError('usage', `"${odd}" cannot be the name of a tool`);
  const known = toolNames();
  for (const tool of tools.filter((each) => !known.includes(each)))
    err(`oka: note: there is no tool "${tool}" today; there is: ${known.join(', ')}\n`);
  if (tools.length === 0) err('oka: note: without --tool no tool may use it; it is only kept out of every text\n');
  else if (tools.some((tool) => tool.startsWith('http.')) && texts('host').length === 0)
    err('oka: note: without --host it can be sent nowhere\n');
  return tools;
}

function hostsOf({ texts }: Call): string[] {
  return texts('host').map((host) => {
    const parsed = SecretHost.safeParse(host.toLowerCase());
    if (parsed.success) return parsed.data;
    throw new OkaError('usage', `"${host}" is not a host`, {
      fix: 'Write api.example.org, or api.example.org:8443; no https:// and no *.',
    });
  });
}

async function newPassphrase(): Promise<string> {
  const passphrase = await hiddenAnswer('New passphrase for the key: ');
  if (passphrase.length < 10) throw new OkaError('usage', 'a passphrase needs at least 10 characters');
  if ((await hiddenAnswer('The same again: ')) !== passphrase)
    throw new OkaError('usage', 'the two passphrases differ; nothing was changed');
  return passphrase;
}
