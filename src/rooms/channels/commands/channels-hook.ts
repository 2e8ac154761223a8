import { randomBytes } from 'node:crypto';
import { addTemplate, hookSecret } from '../inbound-hooks.ts';
import { withValue } from '../../../kit/vault/vault-contents.ts';
import { CHANNEL_NAME } from '../../../core/schema/channel.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { changeSecret, renderSecretChange, type SecretAnswer } from '../../../kit/cli/secret-changes.ts';

type Data = { hook: string; path: string; key: string; template: string; text: string | null; secret: SecretAnswer };

export async function run(call: Call): Promise<Answer<Data>> {
  const hook = onlyOperand(call, 'name');
  await requireHome(call.home);
  if (!CHANNEL_NAME.test(hook))
    throw new OkaError('usage', 'the name of a hook consists of at most 40 lower-case letters, digits, - and _');
  const template = addTemplate(call.home, hook); // first: once there is a key, nothing may prevent that it is shown
  const { name, tool } = hookSecret(hook);
  const key = `whsec_${randomBytes(32).toString('base64')}`;
  const { data: changed } = await changeSecret(call, name, (contents) => {
    if ((contents.secrets[name]?.value ?? null) !== null)
      throw new OkaError('usage', `the hook ${hook} has a key already`, {
        fix: `Remove it first: oka secrets rm ${name}`,
      });
    const rules = { tools: [tool], hosts: [], commands: [] };
    const after = withValue(contents, name, key, new Date().toISOString(), rules);
    return { contents: after, change: { version: after.secrets[name]?.version ?? 1, change: 'set' } };
  });
  return answer({ hook, path: `/hooks/${hook}`, key, ...template, secret: changed });
}

export function render({ path, key, template, text, secret }: Data, { bold }: Terminal): string {
  return [
    `POST to ${bold(path)} of the dashboard, signed as Standard Webhooks describe it.`,
    `Key (shown once): ${key}`,
    text === null
      ? `What is to be done with a call: edit ${template}`
      : `The rules are read-only here; write what is to be done with a call to ${template}, such as:\n\n${text}`,
    renderSecretChange(secret),
  ].join('\n');
}
